import { type ServedApi, sendJson, serveHttpApi } from './serve-http-api.ts';

/** A server as described by its publisher in a registry. */
export interface PublishedServer {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly status?: 'active' | 'deprecated' | 'deleted';
  readonly remotes?: readonly object[];
  readonly packages?: readonly object[];
  readonly [more: string]: unknown;
}

/** An MCP registry on loopback that answers like the official one. Of entries with the same name, the last is the newest. */
export function serveRegistry(servers: readonly PublishedServer[], { port = 0 } = {}): Promise<ServedApi> {
  const newest = new Map(servers.map((server) => [server.name, server]));

  function list(query: URLSearchParams): object {
    const words = (query.get('search') ?? '').toLowerCase();
    const cursor = query.get('cursor');
    const limit = Number(query.get('limit') ?? 30);
    const all = query.get('version') === 'latest' ? [...newest.values()] : servers;
    const found = all.filter(({ name }) => name.toLowerCase().includes(words));
    const start = cursor === null ? 0 : found.findIndex((server) => cursorOf(server) === cursor) + 1;
    const page = found.slice(start, start + limit);
    const last = page.at(-1);
    const nextCursor = last && start + limit < found.length ? cursorOf(last) : undefined;
    return { servers: page.map(toEntry), metadata: { count: page.length, nextCursor } };
  }

  function find(name: string, version: string): PublishedServer | undefined {
    if (version === 'latest') return newest.get(name);
    return servers.find((server) => server.name === name && server.version === version);
  }

  return serveHttpApi({
    port,
    answer({ path }, response) {
      const { pathname, searchParams } = new URL(path, 'http://registry');
      if (pathname === '/v0.1/servers') return sendJson(response, list(searchParams));
      const [, name = '', version = ''] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname) ?? [];
      const server = find(decodeURIComponent(name), decodeURIComponent(version));
      if (server) sendJson(response, toEntry(server));
      else sendJson(response, { title: 'Not Found', status: 404, detail: 'Server not found' }, 404);
    },
  });
}

function toEntry({ status = 'active', ...server }: PublishedServer): object {
  return { server, _meta: { 'io.modelcontextprotocol.registry/official': { status } } };
}

function cursorOf({ name, version }: PublishedServer): string {
  return `${name}:${version}`;
}
