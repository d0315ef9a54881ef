import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, type CallStats } from '../../api/client.ts';
import { describeOutcome, outcomes } from '../../text/calls-texts.ts';

const hourMs = 3_600_000;

/** The selectable time ranges, the number of intervals each is divided into, and its name on the page Calls. */
export const ranges = {
  hour: { label: '1 h', description: 'the last hour', ms: hourMs, buckets: 60, inCalls: '1h' },
  day: { label: '24 h', description: 'the last 24 hours', ms: 24 * hourMs, buckets: 48, inCalls: '24h' },
  week: { label: '7 d', description: 'the last 7 days', ms: 7 * 24 * hourMs, buckets: 84, inCalls: '7d' },
} as const;

export type Range = keyof typeof ranges;

/** Call statistics, polled at a fixed interval however many calls there are. */
export function statsQuery(range: Range) {
  return queryOptions({
    queryKey: ['call-stats', range],
    queryFn({ signal }) {
      const { ms, buckets } = ranges[range];
      const size = ms / buckets;
      // Aligned to whole intervals, so that their bounds stay the same between polls.
      const until = Math.ceil(Date.now() / size) * size;
      const query = { since: new Date(until - ms).toISOString(), until: new Date(until).toISOString(), buckets };
      return api.getCallStats({ query, signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: 5_000,
  });
}

/** The calls without a result by outcome, with their number: "2 failed". Outcomes without calls are left out. */
export function listUnsuccessful(totals: CallStats['totals']) {
  const counted = outcomes.slice(1).filter(({ outcome }) => totals[outcome] > 0);
  return counted.map((one) => ({ outcome: one.outcome, label: describeOutcome(one, totals) }));
}

/** The calls without a result in one text: "2 failed, 1 denied". */
export function describeUnsuccessful(totals: CallStats['totals']): string {
  const labels = listUnsuccessful(totals).map(({ label }) => label);
  return labels.join(', ') || 'none failed';
}
