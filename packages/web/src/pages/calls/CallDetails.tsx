import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Bookmark, Repeat } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Call } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { toolAddress } from '../../components/tool-address.ts';
import { useAction } from '../../components/use-action.ts';
import { CallRecord } from './CallRecord.tsx';
import { CallStatus } from './CallStatus.tsx';
import { SaveRequestDialog } from './SaveRequestDialog.tsx';

export interface CallDetailsProps {
  /** The call to show. The dialog is closed without one. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

/** One call in a dialog, updated live until it ends. */
export function CallDetails({ id, onClose }: CallDetailsProps) {
  // The closing dialog still shows the last call.
  const [last, setLast] = useState(id);
  if (id !== undefined && id !== last) setLast(id);
  const shown = id ?? last ?? '';
  const client = useQueryClient();
  const call = useQuery({ ...queries.call(shown), enabled: id !== undefined });
  useEvent('call.changed', (event) => {
    if (event.id === shown) void client.invalidateQueries({ queryKey: ['call', shown] });
  });
  const { data } = call;
  // Only the calls of tools can be run again.
  const hasActions = data && (data.kind === undefined || data.completedAt === undefined);
  return (
    <Dialog
      open={id !== undefined}
      onClose={onClose}
      shape="side"
      title={data ? <span className="font-mono">{safeText(data.originalName, 120)}</span> : 'Call'}
      description={
        data && (
          <span className="flex flex-wrap items-center gap-2">
            <CallStatus call={data} />
            {safeText(data.server ?? (data.kind === 'search' ? 'search for tools' : 'local tool'), 100)}
          </span>
        )
      }
      footer={hasActions ? <CallActions call={data} /> : undefined}
    >
      <QueryState query={call} what="call" />
      {data && <CallRecord call={data} />}
    </Dialog>
  );
}

function CallActions({ call }: { readonly call: Call }) {
  const [, navigate] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const cancelling = useAction({ run: () => api.cancelCall({ path: { call: call.id } }) });
  return (
    <>
      {(call.status === 'pending' || call.status === 'running') && (
        <Button look="danger" busy={cancelling.isPending} onClick={() => cancelling.mutate()} icon={Ban}>
          Cancel call
        </Button>
      )}
      {call.kind === undefined && (
        <>
          <Button onClick={() => setSaving(true)} icon={Bookmark}>
            Save as request …
          </Button>
          <Button
            title="Open the tool with these arguments"
            onClick={() => navigate(toolAddress(call.tool, call.arguments))}
            icon={Repeat}
          >
            Run again …
          </Button>
        </>
      )}
      {isSaving && (
        <SaveRequestDialog
          draft={{ name: call.originalName, tool: call.tool, arguments: call.arguments, shared: false }}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  );
}
