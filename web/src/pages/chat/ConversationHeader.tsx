import { EllipsisVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Conversation } from '../../api/client.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { IconButton } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatDuration } from '../../components/times.tsx';
import { ConversationMenu } from './ConversationMenu.tsx';
import { ConversationStatus } from './ConversationStatus.tsx';
import { formatCount } from './message-text.ts';

export interface ConversationHeaderProps {
  readonly conversation: Conversation;
  readonly isReconnecting: boolean;
  /** Opens the list of conversations on narrow screens. */
  readonly listButton: ReactNode;
}

/** The title, usage and status of a conversation. */
export function ConversationHeader({ conversation, isReconnecting, listButton }: ConversationHeaderProps) {
  const { usage, durationMs } = conversation;
  const tokens = `${usage.estimated ? 'about ' : ''}${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`;
  return (
    <header className="flex min-h-12 items-center gap-2 border-b border-line px-3 py-1.5">
      <span className="lg:hidden">{listButton}</span>
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-sm" title={safeText(conversation.title, 200)}>
          {safeText(conversation.title, 200)}
        </h1>
        {usage.inputTokens + usage.outputTokens > 0 && (
          <p
            className="truncate text-xs text-ink-faint tabular-nums"
            title="Input and output tokens, and the time spent by models and tools"
          >
            {tokens} · {formatDuration(durationMs)}
          </p>
        )}
      </div>
      {isReconnecting ? (
        <StatusBadge tone="warn" pulsing>
          reconnecting
        </StatusBadge>
      ) : (
        <ConversationStatus status={conversation.status} />
      )}
      <ConversationMenu
        conversation={conversation}
        trigger={
          <IconButton label="Actions for this conversation" size="small">
            <EllipsisVertical aria-hidden />
          </IconButton>
        }
      />
    </header>
  );
}
