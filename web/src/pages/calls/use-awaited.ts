import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../api/queries.ts';

/** What a call waits for a person to do. */
export type Awaited = 'approval' | 'input';

/** The calls that wait for a person, by id. */
export function useAwaited(): ReadonlyMap<string, Awaited> {
  const { data: approvals } = useQuery(queries.approvals('pending'));
  const { data: questions } = useQuery(queries.questions());
  return useMemo(
    () =>
      new Map<string, Awaited>([
        ...(approvals ?? []).map(({ callId }) => [callId, 'approval'] as const),
        ...(questions ?? []).flatMap(({ callId }) => (callId === undefined ? [] : [[callId, 'input'] as const])),
      ]),
    [approvals, questions],
  );
}
