import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ConversationMatch } from '../../api/client.ts';
import { classNames } from '../../components/class-names.ts';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { chatQueries } from './queries.ts';

const rolesTexts = { user: 'You', assistant: 'Assistant' };

export interface SearchResultsProps {
  readonly query: string;
  /** The open conversation. */
  readonly current: string | undefined;
  readonly onNavigate?: (() => void) | undefined;
}

/** The conversations that contain the words of a query, with the matching messages. */
export function SearchResults({ query, current, onNavigate }: SearchResultsProps) {
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
