import { lazy, Suspense } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { Page } from '../../components/Page.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { ViewToggle } from '../../components/ViewToggle.tsx';
import { CallDetails } from './CallDetails.tsx';
import { CallFilters } from './CallFilters.tsx';
import { CallList } from './CallList.tsx';
import { readFilter, writeFilter } from './call-filter.ts';
import { useCallList } from './use-call-list.ts';

const descriptionTexts = {
  list: 'All calls, newest first, updated live.',
  statistics: 'The calls that match the filter, by tool, server, caller and duration.',
  requests: 'Tools with arguments, saved to be run again.',
};

const CallStatistics = lazy(() => import('./CallStatistics.tsx'));
const SavedRequests = lazy(() => import('./SavedRequests.tsx'));

const views = [
  { id: 'list', label: 'Calls' },
  { id: 'statistics', label: 'Statistics' },
  { id: 'requests', label: 'Saved requests' },
] as const;

/** All recorded calls, updated live, their statistics, and the saved requests. */
export default function CallsPage() {
  const { call } = useParams<{ readonly call?: string }>();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const list = useCallList(filter);
  const view = views.find(({ id }) => id === search.get('show'))?.id ?? 'list';
  const suffix = search.size > 0 ? `?${search}` : '';

  function change(next: typeof filter, show = view): void {
    const params = writeFilter(next);
    if (show !== 'list') params.set('show', show);
    setSearch(params, { replace: true });
  }

  return (
    <Page
      title="Calls"
      description={descriptionTexts[view]}
      actions={<ViewToggle label="View" views={views} value={view} onChange={(show) => change(filter, show)} />}
    >
      {view !== 'requests' && <CallFilters filter={filter} calls={list.calls} onChange={change} />}
      {view === 'list' && <CallList list={list} suffix={suffix} filtered={Object.keys(filter).length > 0} />}
      <Suspense fallback={<Spinner label="Loading …" />}>
        {view === 'statistics' && <CallStatistics filter={filter} />}
        {view === 'requests' && <SavedRequests />}
      </Suspense>
      <CallDetails id={call} onClose={() => navigate(`/calls${suffix}`)} />
    </Page>
  );
}
