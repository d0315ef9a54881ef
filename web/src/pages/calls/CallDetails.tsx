import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEvent } from '../../api/events-context.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { CallActions } from './CallActions.tsx';
import { CallRecord } from './CallRecord.tsx';
import { CallStatus } from './CallStatus.tsx';
import { oneCall } from './call-queries.ts';

export interface CallDetailsProps {
  /** Which call; none is open without. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

/** One call beside the list, live until it has ended. */
export function CallDetails({ id, onClose }: CallDetailsProps) {
  // What was shown last stays while it goes away.
  const [last, setLast] = useState(id);
  if (id !== undefined && id !== last) setLast(id);
  const shown = id ?? last ?? '';
  const client = useQueryClient();
  const call = useQuery({ ...oneCall(shown), enabled: id !== undefined });
  useEvent('call.changed', (event) => {
    if (event.id === shown) void client.invalidateQueries({ queryKey: ['call', shown] });
  });
  const { data } = call;
  return (
    <Dialog
      open={id !== undefined}
      onClose={onClose}
      shape="side"
      title={data ? <span className="font-mono">{safeText(data.originalName, 120)}</span> : 'Call'}
      {...(data && {
        description: (
          <span className="flex flex-wrap items-center gap-2">
            <CallStatus call={data} />
            {data.server === undefined ? 'local tool' : safeText(data.server, 100)}
          </span>
        ),
        footer: <CallActions call={data} />,
      })}
    >
      {call.isPending && <Spinner label="Reading the call …" />}
      {call.isError && <ErrorNotice error={call.error} onRetry={() => void call.refetch()} />}
      {data && <CallRecord call={data} />}
    </Dialog>
  );
}
