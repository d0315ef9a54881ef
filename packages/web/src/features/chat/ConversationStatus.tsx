import type { Conversation } from '../../api/client.ts';
import { StatusBadge } from '../../components/Badge.tsx';

const statusTexts = { running: 'running', asking: 'needs your answer', reconnecting: 'reconnecting' };

/** Shows whether a conversation is running or needs an answer. */
export function ConversationStatus({ status }: Pick<Conversation, 'status'>) {
  if (status === 'idle') return null;
  return (
    <StatusBadge tone={status === 'asking' ? 'warn' : 'info'} pulsing={status === 'running'}>
      {statusTexts[status]}
    </StatusBadge>
  );
}
