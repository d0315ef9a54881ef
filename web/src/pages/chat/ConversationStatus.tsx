import type { Conversation } from '../../api/client.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { text } from '../../text/text.ts';

/** Shows whether a conversation is running or needs an answer. */
export function ConversationStatus({ status }: Pick<Conversation, 'status'>) {
  if (status === 'idle') return null;
  return (
    <StatusBadge tone={status === 'asking' ? 'warn' : 'info'} pulsing={status === 'running'}>
      {text.chat.status[status]}
    </StatusBadge>
  );
}
