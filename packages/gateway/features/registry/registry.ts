import { ConnectionError, messageOf, ProtocolError, ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { createPoolFetch } from '../../../toolwharf/connections/http/pool-fetch.ts';
import { assertSecureUrl } from '../../../toolwharf/connections/http/secure-url.ts';
import { readEntry } from './read-entry.ts';
import type { RegistryEntry } from './registry-entry.ts';

/** A client of an MCP server registry with the official API. */
export interface Registry {
  /** Searches the newest versions of servers by name; all of them without a query. */
  search(options?: RegistrySearch): Promise<RegistryPage>;
  /** One server, in its newest version unless another is given. */
  get(name: string, options?: { readonly version?: string; readonly signal?: AbortSignal }): Promise<RegistryEntry>;
  close(): Promise<void>;
}

export interface RegistrySearch {
  readonly words?: string;
  readonly limit?: number;
  /** The cursor of the previous page. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
}

export interface RegistryPage {
  readonly servers: readonly RegistryEntry[];
  readonly nextCursor?: string;
}

const timeoutMs = 15_000;

export function createRegistry(url: string): Registry {
  assertSecureUrl(url, { serverName: 'the registry' });
  const pool = createPoolFetch({ maxResponseBytes: 8 * 1024 * 1024, headersTimeoutMs: timeoutMs });
  const base = url.replace(/\/+$/, '');

  async function read(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const address = `${base}/v0.1/servers${path}`;
    let response: Response;
    try {
      response = await pool.fetch(address, {
        headers: { accept: 'application/json' },
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      const why = deadline.aborted ? `no answer within ${timeoutMs / 1_000} s` : messageOf(cause);
      throw new ConnectionError('SERVER_UNREACHABLE', `The registry ${base} can't be reached: ${why}`, { cause });
    }
    if (response.status === 404) {
      await response.body?.cancel();
      throw new ToolwharfError('NOT_FOUND', `The registry ${base} has no such server`);
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new ConnectionError('SERVER_UNREACHABLE', `The registry ${base} answered HTTP ${response.status}`);
    }
    try {
      return await response.json();
    } catch (cause) {
      throw new ProtocolError('SERVER_PROTOCOL', `The registry ${base} did not answer with JSON`, { cause });
    }
  }

  return {
    async search({ words, limit = 30, cursor, signal } = {}) {
      const query = new URLSearchParams({ version: 'latest', limit: String(limit) });
      if (words) query.set('search', words);
      if (cursor) query.set('cursor', cursor);
      const page = await read(`?${query}`, signal);
      if (!isObject(page) || !Array.isArray(page.servers))
        throw new ProtocolError('SERVER_PROTOCOL', `The registry ${base} gave no list of servers`);
      const { nextCursor } = isObject(page.metadata) ? page.metadata : {};
      const servers = page.servers.map(readEntry).filter((entry) => entry !== undefined && entry.status !== 'deleted');
      return {
        servers: servers as RegistryEntry[],
        ...(typeof nextCursor === 'string' && nextCursor !== '' && { nextCursor }),
      };
    },
    async get(name, { version = 'latest', signal } = {}) {
      const place = `/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
      const entry = readEntry(await read(place, signal));
      if (entry && entry.status !== 'deleted') return entry;
      throw new ToolwharfError('NOT_FOUND', `The registry ${base} has no server '${name}' any more`);
    },
    close: pool.close,
  };
}
