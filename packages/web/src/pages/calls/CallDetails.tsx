import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Bookmark, Repeat } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { CallRecord } from './CallRecord.tsx';
import { CallStatus } from './CallStatus.tsx';
import { SaveRequestDialog } from './SaveRequestDialog.tsx';

const recordTexts = {
  call: 'Call',
  localTool: 'local tool',
  search: 'search for tools',
  cancel: 'Cancel call',
  runAgain: 'Run again …',
  runAgainHint: 'Open the tool with these arguments',
  result: 'Result',
  resultOmitted: 'The result was too large for the journal and is not stored.',
  meaning: 'What this means',
  arguments: 'Arguments',
  originalArguments: 'Original arguments',
  editedArguments: 'Edited arguments',
  record: 'Record',
  caller: 'Caller',
  client: 'Client',
  conversation: 'Conversation',
  openConversation: 'Open conversation',
  approval: 'Approval',
  allowedByRule: 'Allowed by a rule',
  approvedBy: 'Approved by',
  deniedBy: 'Denied by',
  tool: 'Tool',
  definition: 'Definition',
  idempotencyKey: 'Idempotency key',
  runsAs: 'Runs as',
  mcpTask: 'MCP task',
  a2aTask: 'A2A task',
  serverTask: "Server's task",
  taskStatus: {
    working: 'Working',
    input_required: 'Waiting for input',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
};

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
            {data.server === undefined
              ? recordTexts[data.kind === 'search' ? 'search' : 'localTool']
              : safeText(data.server, 100)}
          </span>
        )
      }
      footer={hasActions ? <CallActions call={data} /> : undefined}
    >
      {call.isPending && <Spinner label="Loading …" />}
      {call.isError && <ErrorNotice error={call.error} onRetry={() => void call.refetch()} />}
      {data && <CallRecord call={data} />}
    </Dialog>
  );
}

function CallActions({ call }: { readonly call: Call }) {
  const [, navigate] = useLocation();
  const toast = useToast();
  const [isSaving, setSaving] = useState(false);
  const cancelling = useMutation({
    mutationFn: () => api.cancelCall({ path: { call: call.id } }),
    onError: toast.error,
  });
  return (
    <>
      {(call.status === 'pending' || call.status === 'running') && (
        <Button look="danger" busy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          <Ban aria-hidden />
          Cancel call
        </Button>
      )}
      {call.kind === undefined && (
        <>
          <Button onClick={() => setSaving(true)}>
            <Bookmark aria-hidden />
            Save as request …
          </Button>
          <Button
            title="Open the tool with these arguments"
            onClick={() => navigate(toolAddress(call.tool, call.arguments))}
          >
            <Repeat aria-hidden />
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
