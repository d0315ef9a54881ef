import { setTimeout as sleep } from 'node:timers/promises';
import { toDeliveryError, wasNotDelivered } from '../../../connections/delivery-errors.ts';
import type { PoolFetch } from '../../../connections/http/pool-fetch.ts';

/** Finds the URL of the running gateway; undefined if none runs. */
export type FindUrl = () => Promise<string | undefined>;

const pollMs = 200;
// A restart closes all servers in order before the new process listens.
const restartMs = 60_000;

/**
 * Sends every request to the gateway where it runs now. After a refused connection, which no gateway has received, it waits
 * for the gateway to be back, possibly on another port, and sends the request there.
 */
export function followGateway(pool: PoolFetch, { find, signal }: { find: FindUrl; signal: AbortSignal }): PoolFetch {
  let origin: string | undefined;
  let finding: Promise<string | undefined> | undefined;

  async function findAgain(): Promise<string | undefined> {
    const deadline = Date.now() + restartMs;
    while (!signal.aborted && Date.now() < deadline) {
      const url = await find().catch(() => undefined);
      if (url !== undefined) return new URL(url).origin;
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
    return undefined;
  }

  async function send<Reply>(target: string | URL, request: (url: URL) => Promise<Reply>): Promise<Reply> {
    const { pathname, search, origin: first } = new URL(target);
    const toUrl = () => new URL(pathname + search, origin ?? first);
    try {
      return await request(toUrl());
    } catch (cause) {
      if (signal.aborted || !wasNotDelivered(toDeliveryError(cause))) throw cause;
      finding ??= findAgain().finally(() => {
        finding = undefined;
      });
      const found = await finding;
      if (found === undefined) throw cause;
      origin = found;
      return request(toUrl());
    }
  }

  return {
    ...pool,
    fetch: (url, init) => send(url, (target) => pool.fetch(target, init)),
    post: (url, headers, body, options) => send(url, (target) => pool.post(target, headers, body, options)),
  };
}
