import { useLocation, useParams, useSearchParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { CallDetails } from './CallDetails.tsx';
import { CallFilters } from './CallFilters.tsx';
import { CallList } from './CallList.tsx';
import { readFilter, writeFilter } from './call-filter.ts';
import { useCallList } from './use-call-list.ts';

/** All recorded calls, updated live. */
export default function CallsPage() {
  const { call } = useParams<{ readonly call?: string }>();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const list = useCallList(filter);
  const suffix = search.size > 0 ? `?${search}` : '';
  return (
    <Page title="Calls" description="All calls, newest first, updated live.">
      <CallFilters
        filter={filter}
        calls={list.calls}
        onChange={(next) => setSearch(writeFilter(next), { replace: true })}
      />
      <CallList list={list} suffix={suffix} filtered={Object.keys(filter).length > 0} />
      <CallDetails id={call} onClose={() => navigate(`/calls${suffix}`)} />
    </Page>
  );
}
