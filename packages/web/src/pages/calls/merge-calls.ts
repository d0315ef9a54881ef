import type { Call, CallChangedEvent } from '../../api/client.ts';

/** The fields of a call in the list; events carry the same ones. */
export type ListedCall = Pick<
  Call,
  | 'id'
  | 'server'
  | 'tool'
  | 'originalName'
  | 'caller'
  | 'parent'
  | 'status'
  | 'end'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
>;

/** The list fields of an event. */
export function toListedCall(event: CallChangedEvent): ListedCall {
  const { id, server, tool, originalName, caller, parent, status, end, createdAt, startedAt, completedAt } = event;
  return { id, server, tool, originalName, caller, parent, status, end, createdAt, startedAt, completedAt };
}

const statusOrder = { pending: 0, running: 1, success: 2, error: 2 } as const;

/** The newer state of a call: events and responses can arrive out of order. */
export function pickNewer(one: ListedCall, other: ListedCall): ListedCall {
  return statusOrder[other.status] >= statusOrder[one.status] ? other : one;
}

export interface MergeOptions {
  /** Whether a call belongs in the list. */
  readonly matches: (call: ListedCall) => boolean;
  /** Whether older calls are still to be loaded. */
  readonly hasMore: boolean;
}

/** Merges loaded calls with live events, newest first. */
export function mergeCalls(
  loaded: readonly ListedCall[],
  live: ReadonlyMap<string, ListedCall>,
  options: MergeOptions,
): readonly ListedCall[] {
  const known = new Set(loaded.map(({ id }) => id));
  const oldest = options.hasMore ? loaded.at(-1)?.createdAt : undefined;
  // A call older than the last loaded one comes with its own page.
  const added = [...live.values()].filter(
    ({ id, createdAt }) => !known.has(id) && (oldest === undefined || createdAt >= oldest),
  );
  const current = loaded.map((call) => {
    const update = live.get(call.id);
    return update ? pickNewer(call, update) : call;
  });
  return [...added, ...current].filter(options.matches).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}
