import { messageOf } from '../../../../contract/errors.ts';
import type { Connection } from '../../../../toolwharf/connections/connection.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import type { Fleet } from '../../../core/replicas/fleet.ts';
import { type Owner, placementMethods } from './forward.ts';

export interface PlacedWatchesPorts {
  readonly server: string;
  readonly fleet: Pick<Fleet, 'request'>;
  readonly log: Log;
  readonly local: Pick<Connection, 'watchResources'>;
}

/** Where the server runs: here, on another replica, or nowhere at the moment. */
type Place = 'owner' | 'none' | Owner;

interface Watch {
  readonly uris: readonly string[];
  stop?: () => Promise<void>;
}

/** Subscriptions to resources of a server that moves between replicas. */
export function createPlacedWatches({ server, fleet, log, local }: PlacedWatchesPorts) {
  const watches = new Set<Watch>();
  let place: Place = 'none';

  async function start(watch: Watch, at: Place): Promise<void> {
    if (at === 'none') return;
    const stop = at === 'owner' ? await local.watchResources(watch.uris) : await watchThere(watch.uris, at);
    // The server may have moved, or the caller may have left, while the request was on its way.
    if (place !== at || !watches.has(watch)) await stop();
    else watch.stop = stop;
  }

  /** Resolves when the other replica has subscribed. The subscription lasts as long as the request. */
  async function watchThere(uris: readonly string[], { replica, term, ended }: Owner): Promise<() => Promise<void>> {
    const cancel = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fleet
      .request(
        replica,
        placementMethods.watch,
        { server, term, uris: [...uris] },
        { signal: AbortSignal.any([cancel.signal, ended]), onItem: () => resolve(), isBackground: true },
      )
      .then(() => resolve(), reject);
    await promise;
    return async () => cancel.abort(new Error('Nobody watches the resources any more'));
  }

  return {
    async add(uris: readonly string[]): Promise<() => Promise<void>> {
      const watch: Watch = { uris };
      watches.add(watch);
      try {
        await start(watch, place);
      } catch (cause) {
        watches.delete(watch);
        throw cause;
      }
      return async () => {
        watches.delete(watch);
        await watch.stop?.();
      };
    },
    /** Subscribes where the server runs now. Subscriptions that are there already stay. */
    async attach(next: Place): Promise<void> {
      const hasMoved = place !== next;
      place = next;
      for (const watch of watches) {
        const { stop } = watch;
        if (!hasMoved && stop) continue;
        watch.stop = undefined;
        // The replica that ran the server before may have ended.
        await stop?.().catch(() => {});
        if (place !== next) return;
        await start(watch, next).catch((cause) =>
          log.warning(
            'placement.not-watched',
            `Server '${server}' did not watch its resources again: ${messageOf(cause)}`,
          ),
        );
      }
    },
  };
}
