import { setTimeout as sleep } from 'node:timers/promises';
import { toDeliveryError, wasNotDelivered } from '../../../../toolwharf/connections/delivery-errors.ts';
import {
  createPoolFetch,
  type PoolFetch,
  type PoolFetchOptions,
} from '../../../../toolwharf/connections/http/pool-fetch.ts';
import type { RunningGateway } from '../../client/gateway-file.ts';
import { connectToGateway } from '../../client/prove-gateway.ts';

/** Finds the running gateway of the data directory; undefined if none runs. */
export type FindGateway = () => Promise<Pick<RunningGateway, 'url' | 'adminToken'> | undefined>;

export interface FollowOptions {
  readonly adminToken: string;
  readonly find: FindGateway;
  readonly signal: AbortSignal;
}

const pollMs = 200;
// A restart closes all servers in order before the new process listens.
const restartMs = 60_000;

/**
 * Sends every request to the gateway where it runs now. Each new connection must prove that it belongs to the gateway before
 * a request with credentials is sent on it. After a connection that was refused or not proven, which no gateway has
 * received a request on, it waits for the gateway to be back, possibly on another port, and sends the request there.
 */
export function followGateway(options: PoolFetchOptions, { adminToken, find, signal }: FollowOptions): PoolFetch {
  let origin: string | undefined;
  let currentToken = adminToken;
  let finding: Promise<string | undefined> | undefined;
  const pool = createPoolFetch({
    ...options,
    openSocket: (target) => connectToGateway(target, currentToken),
  });

  async function findAgain(): Promise<string | undefined> {
    const deadline = Date.now() + restartMs;
    while (!signal.aborted && Date.now() < deadline) {
      const found = await find().catch(() => undefined);
      if (found) {
        currentToken = found.adminToken;
        return new URL(found.url).origin;
      }
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
    return undefined;
  }

  async function follow<Reply>(target: string | URL, request: (url: URL) => Promise<Reply>): Promise<Reply> {
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
    fetch: (url, init) => follow(url, (target) => pool.fetch(target, init)),
    send: (request, options) => follow(request.url, (url) => pool.send({ ...request, url }, options)),
  };
}
