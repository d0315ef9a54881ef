import type { Conversation } from '../../api/client.ts';
import { StatusBadge } from '../../components/Badge.tsx';

/** Whether something is being answered, or a person is waited for; nothing when neither. */
export function ConversationStatus({ status }: Pick<Conversation, 'status'>) {
  if (status === 'idle') return null;
  return (
    <StatusBadge tone={status === 'asking' ? 'warn' : 'info'} pulsing={status === 'running'}>
      {status === 'asking' ? 'waits for you' : 'running'}
    </StatusBadge>
  );
}
