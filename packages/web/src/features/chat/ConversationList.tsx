import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { EllipsisVertical, Plus, Search, X } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Conversation, ConversationMatch } from '../../api/client.ts';
import { IconButton } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Input } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { ConversationMenu } from './ConversationMenu.tsx';
import { ConversationStatus } from './ConversationStatus.tsx';
import { chatQueries } from './queries.ts';

export interface ConversationListProps {
  /** The open conversation. */
  readonly current: string | undefined;
  /** Called when a link is followed. */
  readonly onNavigate?: (() => void) | undefined;
}

const rowPx = 54;

/** All conversations, most recent first, their search, and a link to start one. */
export function ConversationList({ current, onNavigate }: ConversationListProps) {
  const conversations = useQuery(chatQueries.conversations());
  const [typed, setTyped] = useState('');
  const query = useDebounced(typed, searchDelayMs).trim();
  return (
    <div className="flex h-full min-h-0 flex-col gap-2">
      <Link
        href="/chat"
        onClick={onNavigate}
        className="flex min-h-9 items-center justify-center gap-1.5 rounded-md border border-line-strong/60 bg-surface font-medium hover:bg-sunken"
      >
        <Plus aria-hidden className="size-4" />
        New conversation
      </Link>
      {conversations.data?.length !== 0 && <SearchField value={typed} onChange={setTyped} />}
      {query !== '' && typed.trim() !== '' ? (
        <SearchResults query={query} current={current} onNavigate={onNavigate} />
      ) : !conversations.data ? (
        <QueryState query={conversations} what="conversations" />
      ) : conversations.data.length === 0 ? (
        <p className="px-2 py-4 text-center text-ink-faint">No conversations yet. Send a message to start one.</p>
      ) : (
        <Rows conversations={conversations.data} current={current} onNavigate={onNavigate} />
      )}
    </div>
  );
}

const searchDelayMs = 200;

function SearchField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <div className="relative">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-ink-faint" />
      <Input
        type="search"
        aria-label="Search conversations"
        placeholder="Search conversations"
        maxLength={200}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.preventDefault();
          onChange('');
        }}
        className="px-8 [&::-webkit-search-cancel-button]:hidden"
      />
      {value !== '' && (
        <IconButton
          label="Clear the search"
          size="small"
          className="absolute top-1 right-1"
          onClick={() => onChange('')}
          icon={X}
        />
      )}
    </div>
  );
}

function Rows({
  conversations,
  current,
  onNavigate,
}: ConversationListProps & { readonly conversations: readonly Conversation[] }) {
  const scrollBox = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: conversations.length,
    getScrollElement: () => scrollBox.current,
    estimateSize: () => rowPx,
    overscan: 12,
    getItemKey: (index) => conversations[index]?.id ?? index,
  });
  return (
    <nav ref={scrollBox} aria-label="Conversations" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const conversation = conversations[index];
          return (
            conversation && (
              <li
                key={key}
                className="absolute inset-x-0 top-0 pb-0.5"
                style={{ height: rowPx, transform: `translateY(${start}px)` }}
              >
                <Row conversation={conversation} isCurrent={conversation.id === current} onNavigate={onNavigate} />
              </li>
            )
          );
        })}
      </ul>
    </nav>
  );
}

interface RowProps {
  readonly conversation: Conversation;
  readonly isCurrent: boolean;
  readonly onNavigate: (() => void) | undefined;
}

const Row = memo(function Row({ conversation, isCurrent, onNavigate }: RowProps) {
  const title = safeText(conversation.title, 200);
  return (
    <div
      className={classNames(
        'group flex h-full items-center rounded-md',
        isCurrent ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Link
        href={`/chat/${conversation.id}`}
        onClick={onNavigate}
        aria-current={isCurrent ? 'page' : undefined}
        className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md pl-2.5 outline-offset-[-2px]"
        title={title}
      >
        <span className="truncate font-medium">{title}</span>
        <span className="flex items-center gap-2 overflow-hidden text-xs text-ink-faint">
          <ConversationStatus status={conversation.status} />
          {conversation.status === 'idle' && <TimeAgo at={conversation.updatedAt} />}
        </span>
      </Link>
      <ConversationMenu
        conversation={conversation}
        trigger={<IconButton label={`Actions for ${title}`} size="small" className="mr-1" icon={EllipsisVertical} />}
      />
    </div>
  );
});

const rolesTexts = { user: 'You', assistant: 'Assistant' };

interface SearchResultsProps {
  readonly query: string;
  /** The open conversation. */
  readonly current: string | undefined;
  readonly onNavigate?: (() => void) | undefined;
}

/** The conversations that contain the words of a query, with the matching messages. */
function SearchResults({ query, current, onNavigate }: SearchResultsProps) {
  const search = useQuery(chatQueries.conversationSearch(query));
  if (!search.data) return <QueryState query={search} what="results" />;
  const { matches, total } = search.data;
  return (
    <>
      <p role="status" className="px-2 text-xs text-ink-faint">
        {total === 0 && `No conversation contains “${safeText(query, 60)}”.`}
        {total > 0 && total === matches.length && `${plural(total, 'conversation')} found`}
        {total > matches.length &&
          `${plural(total, 'conversation')} found. The latest ${formatNumber(matches.length)} are shown.`}
      </p>
      <nav aria-label="Search results" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        <ul className="flex flex-col gap-1">
          {matches.map((match) => (
            <Match
              key={match.conversation.id}
              match={match}
              isCurrent={match.conversation.id === current}
              onNavigate={onNavigate}
            />
          ))}
        </ul>
      </nav>
    </>
  );
}

interface MatchProps {
  readonly match: ConversationMatch;
  readonly isCurrent: boolean;
  readonly onNavigate: (() => void) | undefined;
}

function Match({ match: { conversation, titleHighlights, messages }, isCurrent, onNavigate }: MatchProps) {
  const address = `/chat/${conversation.id}`;
  const link = 'block rounded-md px-2.5 py-1 outline-offset-[-2px] hover:bg-sunken';
  return (
    <li className={classNames('rounded-md py-0.5', isCurrent && 'bg-accent-soft')}>
      <Link href={address} onClick={onNavigate} className={classNames(link, 'truncate font-medium')}>
        <Highlighted text={conversation.title} ranges={titleHighlights} />
      </Link>
      {messages.map(({ id, role, excerpt, highlights }) => (
        <Link key={id} href={`${address}?message=${id}`} onClick={onNavigate} className={classNames(link, 'text-xs')}>
          <span className="line-clamp-2 break-words text-ink-soft">
            <span className="text-ink-faint">{rolesTexts[role]}: </span>
            <Highlighted text={excerpt} ranges={highlights} />
          </span>
        </Link>
      ))}
    </li>
  );
}

interface HighlightedProps {
  readonly text: string;
  /** Start and end of each range to mark, in order. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** A text with marked ranges. */
function Highlighted({ text, ranges }: HighlightedProps) {
  const pieces = ranges.map(([start, end], index) => {
    const after = ranges[index - 1]?.[1] ?? 0;
    return { before: text.slice(after, start), marked: text.slice(start, end), start };
  });
  return (
    <>
      {pieces.map(({ before, marked, start }) => (
        <span key={start}>
          {safeText(before, 1_000)}
          <mark className="rounded-xs bg-warn-soft font-semibold text-ink">{safeText(marked, 200)}</mark>
        </span>
      ))}
      {safeText(text.slice(ranges.at(-1)?.[1] ?? 0), 1_000)}
    </>
  );
}
