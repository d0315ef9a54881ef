import type { JsonObject } from '../../../contract/json.ts';
import { isUnavailable } from '../client/known-server.ts';
import type { OpenedServers } from '../client/opened-tools.ts';
import { exitCodes } from '../errors.ts';
import { notFound } from '../find-item.ts';

export interface ServerOption {
  readonly server?: string;
}

/** An item of a server's list, with the server's name. */
export type Offer = JsonObject & { readonly server: string };

/**
 * Lists the items of all available servers or of one server, and reports the unavailable servers on stderr. The exit code is
 * not 0 if the given server is unavailable, or if nothing was found and a server is unavailable.
 */
export async function listOffers(
  opened: Pick<OpenedServers, 'servers' | 'reportUnavailable'>,
  server: string | undefined,
  list: (server: string) => Promise<readonly JsonObject[]>,
): Promise<{ readonly items: readonly Offer[]; readonly exitCode: number }> {
  const names = opened.servers.map(({ name }) => name);
  if (server !== undefined && !names.includes(server)) throw notFound('server', server, names);
  const listed = opened.servers.filter(({ name, enabled }) => enabled && (server === undefined || name === server));
  opened.reportUnavailable(server);
  const offers = await Promise.all(
    listed.map(async ({ name }) => (await list(name)).map((item) => ({ ...item, server: name }))),
  );
  const items = offers.flat();
  const hasFailed = listed.some(isUnavailable) && (server !== undefined || items.length === 0);
  return { items, exitCode: hasFailed ? exitCodes.unavailable : exitCodes.ok };
}
