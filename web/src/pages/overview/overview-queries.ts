import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CallStats } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { text } from '../../text/text.ts';

const hourMs = 3_600_000;

/** The selectable time ranges and the number of intervals each is divided into. */
export const ranges = {
  hour: { ...text.overview.overviewQueries.ranges.hour, ms: hourMs, buckets: 60 },
  day: { ...text.overview.overviewQueries.ranges.day, ms: 24 * hourMs, buckets: 48 },
  week: { ...text.overview.overviewQueries.ranges.week, ms: 7 * 24 * hourMs, buckets: 84 },
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

/** The calls without a result, by reason: "2 failed, 1 denied". Reasons without calls are left out. */
export function describeUnsuccessful({ error, denied, invalid, cancelled, unknown }: CallStats['totals']): string {
  const parts = [
    error > 0 && text.overview.overviewQueries.failed(error),
    denied > 0 && text.overview.overviewQueries.denied(denied),
    invalid > 0 && text.overview.overviewQueries.invalid(invalid),
    cancelled > 0 && text.overview.overviewQueries.cancelled(cancelled),
    unknown > 0 && text.overview.overviewQueries.unknown(unknown),
  ].filter((part) => part !== false);
  return parts.join(', ') || text.overview.overviewQueries.noneFailed;
}
