import type { JsonObject } from '../../../../contract/json.ts';
import type { ListKind } from '../../../../toolwharf/connections/discovery.ts';
import type { CachedList } from '../../../../toolwharf/connections/server-lists.ts';
import type { ConnectionStatus } from '../../../../toolwharf/connections/status.ts';
import { hasRawNumbers, keepMemberTexts, withExactMembers } from '../../../../toolwharf/kernel/exact-json.ts';
import type { FleetRequest } from '../../../core/replicas/fleet.ts';
import { isElsewhere } from './forward.ts';

/** A message from the owner of a server to the other replicas. */
export type FollowItem =
  | { readonly status: ConnectionStatus; readonly stderr: readonly string[] }
  | { readonly kind: ListKind; readonly list: CachedList; readonly isAnnounced: boolean }
  | { readonly method: string; readonly params: JsonObject };

function toSentItem(item: FollowItem): JsonObject {
  return 'list' in item ? { ...item, list: toSentList(item.list) } : { ...item };
}

/** A list with all digits of its numbers. */
export function toSentList(list: CachedList): JsonObject {
  return { ...list, items: list.items.map(withExactMembers) };
}

/** A list of another replica, with plain numbers and the texts of the others. */
export function toReceivedList(sent: CachedList): CachedList {
  const items = sent.items.map((item) => {
    if (!hasRawNumbers(item)) return item;
    const text = JSON.stringify(item);
    return keepMemberTexts(JSON.parse(text) as JsonObject, text);
  });
  return { ...sent, items };
}

/** The replicas that follow what the owner of a server knows about it. */
export interface Followers {
  /** Sends items to a replica, `first` at once, until it no longer waits or this replica has lost the server. */
  add(request: FleetRequest, first: readonly FollowItem[]): Promise<never>;
  send(item: FollowItem): void;
  /** Tells all of them that this replica has lost the server. */
  end(): void;
}

export function createFollowers(): Followers {
  const following = new Map<FleetRequest, (cause: unknown) => void>();
  return {
    async add(request, first) {
      const { promise, reject } = Promise.withResolvers<never>();
      following.set(request, reject);
      const onAbort = () => reject(request.signal.reason);
      request.signal.addEventListener('abort', onAbort, { once: true });
      for (const item of first) request.send(toSentItem(item));
      try {
        return await promise;
      } finally {
        following.delete(request);
        request.signal.removeEventListener('abort', onAbort);
      }
    },
    send(item) {
      for (const request of following.keys()) request.send(toSentItem(item));
    },
    end() {
      for (const reject of following.values()) reject(isElsewhere('followed'));
    },
  };
}
