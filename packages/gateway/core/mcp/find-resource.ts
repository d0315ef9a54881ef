import { type ListKind, listAll, listSources } from '../../../toolwharf/connections/discovery.ts';
import { toAbortSignal } from '../../../toolwharf/kernel/abort-source.ts';
import { matchTemplate } from '../../../toolwharf/servers/uri-templates.ts';
import type { ClientRequest } from './client-request.ts';
import type { MethodPorts } from './method-ports.ts';
import type { View } from './view.ts';
import type { ServerResource } from './view-parts.ts';

/**
 * Finds the servers of resources for one request. Servers with per-user credentials list them for the account of the caller only, and
 * are asked at most once.
 */
export function createResourceFinder(
  view: View,
  { caller, signal }: Pick<ClientRequest, 'caller' | 'signal'>,
  { toolbox }: Pick<MethodPorts, 'toolbox'>,
): (uri: string) => Promise<ServerResource | undefined> {
  const options = { caller, signal: toAbortSignal(signal) };
  let listing: Promise<readonly AccountLists[]> | undefined;

  async function list(server: string, kind: ListKind): Promise<readonly string[]> {
    const source = listSources[kind];
    const request = (method: string, params: object) => toolbox.servers.request(server, method, { ...params }, options);
    const { items } = await listAll(source, request).catch(() => ({ items: [] }));
    return items.map((item) => String(item[source.key]));
  }

  const listAccount = async (server: string) => {
    const [uris, templates] = await Promise.all([list(server, 'resources'), list(server, 'resourceTemplates')]);
    return { server, uris, templates };
  };

  return async (uri) => {
    const found = view.findResource(uri);
    if (found || view.personalServers.length === 0) return found;
    listing ??= Promise.all(view.personalServers.map(listAccount));
    const lists = await listing;
    const { server } =
      lists.find(({ uris }) => uris.includes(uri)) ??
      lists.find(({ templates }) => templates.some((template) => matchTemplate(template, uri, true))) ??
      {};
    const mayRead = server !== undefined && view.mayRead({ kind: 'resource', server, name: uri });
    return mayRead ? { server, uri } : undefined;
  };
}

interface AccountLists {
  readonly server: string;
  readonly uris: readonly string[];
  readonly templates: readonly string[];
}
