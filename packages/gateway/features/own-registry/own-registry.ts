import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox-types.ts';
import { hasRight, type Identity, seesAll } from '../../core/auth/identity.ts';
import { sendJson } from '../../core/mcp/responder.ts';

export interface OwnRegistryPorts {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'servers'>;
  /** The origin at which clients reach the gateway; undefined if it is not known. */
  readonly origin: () => string | undefined;
}

/** What browsers, and the editors that are built on them, ask for before they read a registry. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type',
} as const;

/** The paths of a registry. */
export const registryPaths = /^(?:\/mcp\/([^/]+)\/registry)?\/v0\.1\/servers(?:\/([^/]+)\/versions(?:\/([^/]+))?)?\/?$/;
export const cardPath = '/.well-known/mcp/server-card.json';
const officialMeta = 'io.modelcontextprotocol.registry/official';
const maxPage = 100;

/** Serves the servers of a profile as an MCP registry does (version 0.1), and the card of the gateway. Each server leads to the gateway. */
export function createOwnRegistry({ toolbox, origin }: OwnRegistryPorts) {
  const startedAt = new Date().toISOString();

  /** The profile of the path if the caller may read it; a status otherwise. */
  function findProfile(asked: string | undefined, identity: Identity | undefined): ProfileConfig | 401 | 404 {
    const { profiles, gateway } = toolbox.config;
    const own = identity?.profile ?? 'default';
    const name = asked === undefined ? own : decode(asked);
    const isOpen = gateway.publishServers;
    if (!isOpen && !hasRight(identity, 'tools.read')) return 401;
    const mayRead =
      isOpen || (identity !== undefined && seesAll(identity)) || identity?.usesEveryProfile === true || name === own;
    return (mayRead && profiles.find((profile) => profile.name === name)) || 404;
  }

  function entriesOf(profile: ProfileConfig, at: string): readonly Entry[] {
    const { hasServer } = createVisibility(profile);
    const space = new URL(at).hostname
      .split('.')
      .toReversed()
      .join('.')
      .replaceAll(/[^A-Za-z0-9.-]/g, '-');
    const taken = new Set<string>();
    return toolbox.servers
      .list()
      .filter(({ name, enabled }) => enabled && hasServer(name))
      .map(({ name, description, status }) => {
        const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'server';
        let id = `${space}/${plain}`;
        for (let count = 2; taken.has(id); count++) id = `${space}/${plain}-${count}`;
        taken.add(id);
        const reported = status.serverInfo?.version;
        const query = new URLSearchParams({ server: name });
        return {
          name: id,
          title: name.slice(0, 100),
          description: (description ?? `The server ${name}, through Toolwharf.`).slice(0, 100),
          version: typeof reported === 'string' && /^[\w.+-]{1,100}$/.test(reported) ? reported : '1.0.0',
          remotes: [{ type: 'streamable-http', url: `${at}/mcp/${profile.name}?${query}` }],
        };
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  function toAnswer(server: Entry): JsonObject {
    const meta = { status: 'active', publishedAt: startedAt, updatedAt: startedAt, isLatest: true };
    return {
      server: { $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json', ...server },
      _meta: { [officialMeta]: meta },
    };
  }

  function list(entries: readonly Entry[], query: URLSearchParams): JsonObject | undefined {
    const limit = Number(query.get('limit') ?? 30);
    if (!Number.isInteger(limit) || limit < 1) return undefined;
    const since = query.get('updated_since');
    if (since !== null && Number.isNaN(Date.parse(since))) return undefined;
    const words = (query.get('search') ?? '').toLowerCase();
    const cursor = query.get('cursor') ?? '';
    const isRecent = since === null || Date.parse(since) <= Date.parse(startedAt);
    // Names are sorted, so that a page is right after its cursor also when servers have come and gone.
    const found = entries.filter(({ name }) => isRecent && name.toLowerCase().includes(words) && name > cursor);
    const page = found.slice(0, Math.min(limit, maxPage));
    const last = page.at(-1);
    return {
      servers: page.map(toAnswer),
      metadata: { count: page.length, ...(last && found.length > page.length && { nextCursor: last.name }) },
    };
  }

  function serveCard(response: ServerResponse, at: string): void {
    const host = new URL(at).hostname.split('.').toReversed().join('.');
    const card = {
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: `${host.replaceAll(/[^A-Za-z0-9.-]/g, '-')}/toolwharf`,
      title: 'Toolwharf',
      description: 'The tools of several MCP servers, gathered by Toolwharf.',
      version,
      remotes: [{ type: 'streamable-http', url: `${at}/mcp` }],
    };
    response
      .writeHead(200, { 'content-type': 'application/mcp-server-card+json', 'cache-control': 'max-age=3600', ...cors })
      .end(JSON.stringify(card));
  }

  return (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    identity: Identity | undefined,
  ): boolean => {
    const match = path === cardPath ? undefined : registryPaths.exec(path);
    if (!match && path !== cardPath) return false;
    const fail = (status: number, title: string) => {
      sendJson(response, status, { title, status, detail: title }, cors);
      return true;
    };
    if (request.method === 'OPTIONS') {
      response.writeHead(204, cors).end();
      return true;
    }
    if (request.method !== 'GET') return fail(405, 'Only GET is supported');
    const at = origin();
    if (at === undefined) return fail(503, 'Set gateway.url: the address of the gateway is not known');
    if (!match) {
      serveCard(response, at);
      return true;
    }
    const [, asked, name, wanted] = match;
    const profile = findProfile(asked, identity);
    if (profile === 401) return fail(401, 'Send a key, or let the operator set gateway.publishServers');
    if (profile === 404) return fail(404, 'No such profile');
    const entries = entriesOf(profile, at);
    const { searchParams } = new URL(request.url ?? '/', at);
    if (name === undefined) {
      const page = list(entries, searchParams);
      if (!page) return fail(400, 'limit must be a positive number, and updated_since a time');
      sendJson(response, 200, page, cors);
      return true;
    }
    const entry = entries.find((candidate) => candidate.name === decode(name));
    if (!entry) return fail(404, 'Server not found');
    if (wanted === undefined) sendJson(response, 200, { servers: [toAnswer(entry)], metadata: { count: 1 } }, cors);
    else if (['latest', entry.version].includes(decode(wanted))) sendJson(response, 200, toAnswer(entry), cors);
    else return fail(404, 'Version not found');
    return true;
  };
}

interface Entry {
  readonly [member: string]: JsonObject[string];
  /** Unique, and sorted by it. */
  readonly name: string;
  readonly version: string;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
