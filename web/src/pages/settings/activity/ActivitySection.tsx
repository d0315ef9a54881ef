import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { api, type Call } from '../../../api/client.ts';
import { StatusBadge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Input } from '../../../components/fields.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { text } from '../../../text/text.ts';
import { describeAct, nameOperation } from './describe-act.ts';

const words = text.settings.activity;
const pageSize = 50;

/** The acts of administrators, from the journal, newest first. */
export function ActivitySection() {
  const [search, setSearch] = useState('');
  const sought = useDeferredValue(search.trim().toLowerCase());
  const acts = useInfiniteQuery({
    queryKey: ['calls', 'administration'],
    queryFn: ({ pageParam, signal }) =>
      api.listCalls({ query: { kind: 'administration', limit: pageSize, before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  const all = acts.data?.pages.flatMap(({ calls }) => calls) ?? [];
  const found = all.filter((act) => searchText(act).includes(sought));
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-3xl text-ink-soft">{words.about}</p>
      <div className="flex flex-wrap items-center gap-2">
        <Input
          type="search"
          className="max-w-xs"
          aria-label={words.search}
          placeholder={words.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Button onClick={() => void acts.refetch()} busy={acts.isRefetching}>
          {words.refresh}
        </Button>
      </div>
      {acts.isError && <ErrorNotice error={acts.error} onRetry={() => void acts.refetch()} />}
      {acts.isPending && <Spinner label={text.common.loading} />}
      {acts.data && found.length === 0 && (
        <EmptyState icon={<History aria-hidden />} title={words.empty}>
          {words.emptyDetail}
        </EmptyState>
      )}
      {found.length > 0 && (
        <Card>
          <ul aria-label={words.title} className="divide-y divide-line">
            {found.map((act) => (
              <Act key={act.id} act={act} />
            ))}
          </ul>
        </Card>
      )}
      {acts.hasNextPage && (
        <Button className="self-start" busy={acts.isFetchingNextPage} onClick={() => void acts.fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </div>
  );
}

function Act({ act }: { readonly act: Call }) {
  const isFailed = act.status === 'error';
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{nameOperation(act.originalName)}</span>
        <span className="min-w-0 flex-1 truncate text-ink-soft">{safeText(describeAct(act.arguments), 200)}</span>
        <StatusBadge tone={isFailed ? 'bad' : act.status === 'running' ? 'neutral' : 'good'}>
          {isFailed ? words.failed : act.status === 'running' ? words.running : words.done}
        </StatusBadge>
      </div>
      <p className="text-xs text-ink-faint">
        {words.by(safeText(act.caller.name ?? act.caller.id, 100))} · <TimeAgo at={act.createdAt} />
      </p>
      {act.error && <p className="text-xs text-bad">{safeText(act.error.message, 500)}</p>}
      {Object.keys(act.arguments ?? {}).length > 0 && (
        <details>
          <summary className="cursor-pointer text-xs text-ink-soft">{words.details}</summary>
          <div className="mt-1">
            <JsonView value={act.arguments} what={words.details} maxHeight="16rem" />
          </div>
        </details>
      )}
    </li>
  );
}

function searchText({ originalName, caller, arguments: args }: Call): string {
  return `${nameOperation(originalName)}\n${caller.name ?? ''}\n${caller.id}\n${JSON.stringify(args ?? {})}`.toLowerCase();
}
