import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

const hourMs = 3_600_000;

/** The spans of time that can be looked at, and into how many parts each is divided. */
export const ranges = {
  hour: { label: '1 h', words: 'the last hour', ms: hourMs, buckets: 60 },
  day: { label: '24 h', words: 'the last 24 hours', ms: 24 * hourMs, buckets: 48 },
  week: { label: '7 d', words: 'the last 7 days', ms: 7 * 24 * hourMs, buckets: 84 },
} as const;

export type Range = keyof typeof ranges;

/** How many calls there were and how they went. Asked for at a steady pace, however many calls there are. */
export function statsQuery(range: Range) {
  return queryOptions({
    queryKey: ['call-stats', range],
    queryFn({ signal }) {
      const { ms, buckets } = ranges[range];
      const size = ms / buckets;
      // Whole parts, so that a part does not change its bounds each time it is asked for.
      const until = Math.ceil(Date.now() / size) * size;
      const query = { since: new Date(until - ms).toISOString(), until: new Date(until).toISOString(), buckets };
      return api.getCallStats({ query, signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: 5_000,
  });
}

/** The tools whose definition is not the accepted one. */
export function changedToolsQuery() {
  return queryOptions({
    queryKey: ['tools', 'changed'],
    queryFn: async ({ signal }) => (await api.listTools({ query: { changed: 'true' }, signal })).tools,
  });
}
