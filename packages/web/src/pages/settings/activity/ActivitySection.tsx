import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { api, type Call } from '../../../api/client.ts';
import { StatusBadge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { SearchInput } from '../../../components/fields.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { describeAct, nameOperation } from './describe-act.ts';

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
      <p className="max-w-3xl text-ink-soft">
        What administrators and the configuration file changed: keys, servers, profiles, tools, approvals and rules. The
        journal records each act before it is carried out.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput label="Search activity" className="max-w-xs" value={search} onChange={setSearch} />
        <Button onClick={() => void acts.refetch()} busy={acts.isRefetching}>
          Refresh
        </Button>
      </div>
      <QueryState query={acts} what="activity" />
      {acts.data && found.length === 0 && (
        <EmptyState icon={History} title="No activity found">
          Changes of keys, servers, profiles, tools and rules appear here.
        </EmptyState>
      )}
      {found.length > 0 && (
        <Card>
          <ul aria-label="Administrative acts" className="divide-y divide-line">
            {found.map((act) => (
              <Act key={act.id} act={act} />
            ))}
          </ul>
        </Card>
      )}
      {acts.hasNextPage && (
        <Button className="self-start" busy={acts.isFetchingNextPage} onClick={() => void acts.fetchNextPage()}>
          Show older acts
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
          {isFailed ? 'Failed' : act.status === 'running' ? 'In progress' : 'Done'}
        </StatusBadge>
      </div>
      <p className="text-xs text-ink-faint">
        {`by ${safeText(act.caller.name ?? act.caller.id, 100)}`} · <TimeAgo at={act.createdAt} />
      </p>
      {act.error && <p className="text-xs text-bad">{safeText(act.error.message, 500)}</p>}
      {Object.keys(act.arguments ?? {}).length > 0 && (
        <details>
          <summary className="cursor-pointer text-xs text-ink-soft">Details</summary>
          <div className="mt-1">
            <JsonView value={act.arguments} what="Details" maxHeight="16rem" />
          </div>
        </details>
      )}
    </li>
  );
}

function searchText({ originalName, caller, arguments: args }: Call): string {
  return `${nameOperation(originalName)}\n${caller.name ?? ''}\n${caller.id}\n${JSON.stringify(args ?? {})}`.toLowerCase();
}
