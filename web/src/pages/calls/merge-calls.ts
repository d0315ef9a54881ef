import type { Call, CallChangedEvent } from '../../api/client.ts';

/** What a list shows of a call: as much as an event tells of it. */
export type ListedCall = Pick<
  Call,
  'id' | 'server' | 'tool' | 'originalName' | 'caller' | 'status' | 'end' | 'createdAt' | 'startedAt' | 'completedAt'
>;

/** A call as an event tells of it. */
export function toListed(event: CallChangedEvent): ListedCall {
  const { id, server, tool, originalName, caller, status, end, createdAt, startedAt, completedAt } = event;
  return {
    ...{ id, tool, originalName, caller, status, createdAt },
    ...(server !== undefined && { server }),
    ...(end !== undefined && { end: end as NonNullable<Call['end']> }),
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
  };
}

const order = { pending: 0, running: 1, success: 2, error: 2 } as const;

/** The state of a call that is further on: events and answers may overtake each other. */
export function later(one: ListedCall, other: ListedCall): ListedCall {
  return order[other.status] >= order[one.status] ? other : one;
}

export interface MergeOptions {
  /** Whether a call belongs into the list. */
  readonly fits: (call: ListedCall) => boolean;
  /** Whether older calls are not loaded yet. */
  readonly hasMore: boolean;
}

/** The loaded calls as they are by now, with those that were made since, newest first. */
export function mergeCalls(
  loaded: readonly ListedCall[],
  live: ReadonlyMap<string, ListedCall>,
  options: MergeOptions,
): readonly ListedCall[] {
  const known = new Set(loaded.map(({ id }) => id));
  const oldest = options.hasMore ? loaded.at(-1)?.createdAt : undefined;
  // What is older than the last one loaded comes with its own page.
  const added = [...live.values()].filter(
    ({ id, createdAt }) => !known.has(id) && (oldest === undefined || createdAt >= oldest),
  );
  const current = loaded.map((call) => {
    const news = live.get(call.id);
    return news ? later(call, news) : call;
  });
  return [...added, ...current].filter(options.fits).sort((one, other) => other.createdAt.localeCompare(one.createdAt));
}
