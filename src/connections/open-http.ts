import type { ServerSpec } from '../config/config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { assertSecureUrl } from './http/https-rule.ts';
import { createPoolFetch } from './http/pool-fetch.ts';
import type { HttpAccess } from './http-access.ts';

export interface OAuthPorts {}

export interface HttpOpenerOptions {
  readonly oauth?: OAuthPorts;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
}

/** Makes what an HTTP session needs: sockets of its own, the configured headers and credentials, sign-in where wanted. */
export function createHttpOpener(_options: HttpOpenerOptions): (spec: ServerSpec) => Promise<HttpAccess> {
  return async (spec) => {
    const { target } = spec;
    if (target.transport === 'stdio') throw new TypeError(`Server '${spec.name}' is not reached over HTTP`);
    assertSecureUrl(target.url, { serverName: spec.name, allowInsecure: target.allowInsecure });
    const pool = createPoolFetch();
    return { fetch: pool.fetch, headers: target.headers, close: pool.close };
  };
}
