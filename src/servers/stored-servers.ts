import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { findServerWithoutToken, type ServerWithoutToken } from '../config/default-servers.ts';
import { type CheckedServerRecord, type ServerRecord, toNativeServer } from '../config/server-record.ts';
import type { NativeServer } from '../config/server-schema.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { createMutex } from '../kernel/mutex.ts';
import { waitAtMost } from '../kernel/wait.ts';
import type { ServerInfo } from './server-info.ts';
import type { ServerStore } from './server-store.ts';

/**
 * Servers added over the API: they are stored and added to the toolbox. A server of the same name in the configuration file wins.
 * A stored server replaces a default server of that name that is disabled because it has no token.
 */
export interface StoredServers {
  /** Resolves when all are in the toolbox; they may still be connecting. */
  start(): Promise<void>;
  /** Makes the toolbox match the store after another replica has changed it. */
  reload(): Promise<void>;
  /** Finds a stored server by name; undefined if the configuration file defines that name. */
  find(name: string): Promise<ServerRecord | undefined>;
  list(): Promise<readonly ServerRecord[]>;
  /** The default server of this name, if it has no token: a stored server can replace it. */
  findWithoutToken(name: string): ServerWithoutToken | undefined;
  /** Why a stored server is not used. */
  problemOf(record: ServerRecord): string | undefined;
  /** Resolves when the server is stored and connected, or when the connection takes too long. */
  add(server: CheckedServerRecord): Promise<ServerRecord>;
  /** Replaces the stored record by the result of `change`. */
  update(name: string, change: (record: ServerRecord) => CheckedServerRecord): Promise<ServerRecord>;
  remove(name: string): Promise<void>;
}

/** The toolbox that runs the stored servers. */
export interface StoredServersToolbox {
  readonly config: Pick<Config, 'servers'>;
  readonly loaded: { readonly file?: string; readonly isDefault?: boolean };
  readonly servers: {
    get(name: string): ServerInfo | undefined;
    add(name: string, server: NativeServer, options?: { readonly isKnown?: boolean }): Promise<unknown>;
    update(name: string, server: NativeServer): Promise<unknown>;
    remove(name: string): Promise<void>;
    forgetSignIn(name: string): Promise<void>;
  };
  on(
    name: 'server.changed',
    listener: (event: { readonly server: string; readonly status: ConnectionStatus }) => void,
  ): () => void;
  on(name: 'config.applied', listener: () => void): () => void;
}

type ServerChange = readonly [kind: 'added' | 'updated' | 'removed', server: string];

export interface StoredServersOptions {
  readonly toolbox: StoredServersToolbox;
  readonly store: ServerStore;
  readonly log: Log;
  /** Whether local (stdio) servers are started. */
  readonly allowsPrograms: () => boolean;
  readonly onChange: (...change: ServerChange) => void;
  /** Before a server is connected under another name. */
  readonly onRename?: (from: string, to: string) => Promise<void>;
  /** Deletes the accounts at a server that is going to be removed or replaced by another. */
  readonly onRemove?: (server: string) => Promise<void>;
}

/** How long adding waits for the server to connect. */
const connectWaitMs = 10_000;

export function createStoredServers(options: StoredServersOptions): StoredServers {
  const { toolbox, store, log, onChange } = options;
  // Each change must read the result of the previous one.
  const exclusively = createMutex();

  /** The default server without a token that a stored server of this name replaces. */
  function findWithoutToken(name: string): ServerWithoutToken | undefined {
    const isDisabled = toolbox.config.servers.some((server) => server.name === name && !server.enabled);
    return toolbox.loaded.isDefault && isDisabled ? findServerWithoutToken(name) : undefined;
  }

  const isInFile = (name: string) =>
    toolbox.config.servers.some((server) => server.name === name) && !findWithoutToken(name);

  /** Adds a server to the toolbox, in place of a default server. */
  function put(name: string, server: NativeServer, isKnown = false): Promise<unknown> {
    return toolbox.servers.get(name)
      ? toolbox.servers.update(name, server)
      : toolbox.servers.add(name, server, { isKnown });
  }

  /** Removes a server from the toolbox; the default server that it replaced is back. */
  async function drop(name: string): Promise<void> {
    const replaced = findWithoutToken(name);
    if (replaced) await put(name, replaced.disabled);
    else if (toolbox.servers.get(name)) await toolbox.servers.remove(name);
  }

  /** Deletes the sign-in and the accounts of a server while its connection can still revoke them. */
  async function forgetCredentials(name: string): Promise<void> {
    if (!toolbox.servers.get(name)) return;
    try {
      await options.onRemove?.(name);
      await toolbox.servers.forgetSignIn(name);
    } catch (cause) {
      const message = `The credentials for the former server '${name}' could not be deleted: ${messageOf(cause)}`;
      log.warning('servers.credentials-not-deleted', message, { server: name });
    }
  }

  function problemOf({ name, transport }: ServerRecord): string | undefined {
    if (transport !== 'stdio' || options.allowsPrograms()) return undefined;
    return `Server '${name}' is a local (stdio) server and is not started, because gateway.allowPrograms is off`;
  }

  async function find(name: string): Promise<ServerRecord | undefined> {
    if (isInFile(name)) return undefined;
    return (await store.list()).find((record) => record.name === name);
  }

  async function mustFind(name: string): Promise<ServerRecord> {
    if (isInFile(name)) throw readOnlyError(name, toolbox.loaded.file);
    const record = await find(name);
    if (record) return record;
    throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'`, { data: { server: name } });
  }

  const isEnabled = (record: ServerRecord) => record.enabled && problemOf(record) === undefined;
  const toNative = (record: ServerRecord) => toNativeServer({ ...record, enabled: isEnabled(record) });

  /** The stored servers in the toolbox, as they are there. */
  const applied = new Map<string, string>();
  const fingerprint = (record: ServerRecord) => hashOf(toNative(record));

  /** Makes the toolbox match the stored servers; returns how it changed. */
  async function reconcile({ isStart = false } = {}): Promise<readonly ServerChange[]> {
    const changes: ServerChange[] = [];
    const records = await store.list();
    for (const record of records) {
      const { name } = record;
      const current = toolbox.servers.get(name);
      const logUnusable = (cause: unknown) =>
        log.error('servers.unusable', `Could not use the stored server '${name}': ${messageOf(cause)}`, {
          server: name,
        });
      if (isInFile(name)) {
        const message = `Server '${name}' is both stored and in the configuration file: the one in the file is used`;
        log.warning('servers.shadowed', message, { server: name });
        applied.delete(name);
      } else if (!current) {
        put(name, toNative(record), isStart).catch(logUnusable);
        applied.set(name, fingerprint(record));
        changes.push(['added', name]);
      } else if (applied.get(name) !== fingerprint(record)) {
        await toolbox.servers.update(name, toNative(record)).catch(logUnusable);
        applied.set(name, fingerprint(record));
        changes.push(['updated', name]);
      }
    }
    const names = new Set(records.map(({ name }) => name));
    for (const name of applied.keys()) {
      if (names.has(name)) continue;
      applied.delete(name);
      if (isInFile(name) || !toolbox.servers.get(name)) continue;
      await drop(name);
      changes.push(['removed', name]);
    }
    return changes;
  }

  async function recordConnected(name: string, lastConnectedAt: string): Promise<void> {
    const record = await find(name);
    if (record && record.lastConnectedAt !== lastConnectedAt) await store.put({ ...record, lastConnectedAt });
  }

  toolbox.on('server.changed', ({ server, status }) => {
    if (status.state !== 'connected' || status.lastConnectedAt === undefined || isInFile(server)) return;
    const { lastConnectedAt } = status;
    exclusively(() => recordConnected(server, lastConnectedAt)).catch((cause) =>
      log.warning('servers.not-noted', `Could not record that server '${server}' connected: ${messageOf(cause)}`),
    );
  });
  const logUnreadable = (cause: unknown) =>
    log.error('servers.unreadable', `Could not read the stored servers: ${messageOf(cause)}`);
  toolbox.on('config.applied', () => void exclusively(reconcile).catch(logUnreadable));

  async function assertNameAvailable(name: string): Promise<void> {
    const isStored = (await store.list()).some((record) => record.name === name);
    if (!isStored && (!toolbox.servers.get(name) || findWithoutToken(name))) return;
    throw new ToolwharfError('CONFLICT', `There is a server named '${name}' already: choose another name`, {
      data: { server: name },
    });
  }

  async function replace(before: ServerRecord, record: ServerRecord): Promise<void> {
    applied.delete(before.name);
    applied.set(record.name, fingerprint(record));
    if (before.name === record.name && toolbox.servers.get(record.name)) {
      await toolbox.servers.update(record.name, toNative(record));
      return;
    }
    await drop(before.name);
    await put(record.name, toNative(record));
  }

  return {
    start: async () => void (await exclusively(() => reconcile({ isStart: true }))),
    async reload() {
      try {
        for (const [kind, name] of await exclusively(reconcile)) onChange(kind, name);
      } catch (cause) {
        logUnreadable(cause);
      }
    },
    find,
    findWithoutToken,
    list: async () => (await store.list()).filter((record) => !isInFile(record.name)),
    problemOf,
    async add(server) {
      const now = new Date().toISOString();
      const record: ServerRecord = { ...server, id: randomUUID(), createdAt: now, updatedAt: now };
      const { connecting } = await exclusively(async () => {
        await assertNameAvailable(record.name);
        await store.put(record);
        applied.set(record.name, fingerprint(record));
        return { connecting: put(record.name, toNative(record)) };
      });
      try {
        await waitAtMost(connecting, connectWaitMs);
      } catch (cause) {
        await exclusively(async () => {
          await store.remove(record.id);
          applied.delete(record.name);
        });
        throw cause;
      }
      onChange('added', record.name);
      return record;
    },
    async update(name, change) {
      const updated = await exclusively(async () => {
        const before = await mustFind(name);
        const { id, createdAt, lastConnectedAt } = before;
        const record: ServerRecord = {
          ...change(before),
          id,
          createdAt,
          lastConnectedAt,
          updatedAt: new Date().toISOString(),
        };
        if (record.name !== name) {
          await assertNameAvailable(record.name);
          await options.onRename?.(name, record.name);
        }
        // Tokens and the values that people entered are for the server that they were entered for.
        if (record.name !== name || hostOf(record) !== hostOf(before)) await forgetCredentials(name);
        await store.put(record);
        // Inside the mutex: the name must stay reserved until the old connection has ended.
        await waitAtMost(replace(before, record), connectWaitMs).catch(async (cause) => {
          await store.put(before);
          applied.delete(record.name);
          throw cause;
        });
        return record;
      });
      if (updated.name !== name) onChange('removed', name);
      onChange(updated.name === name ? 'updated' : 'added', updated.name);
      return updated;
    },
    async remove(name) {
      await exclusively(async () => {
        const record = await mustFind(name);
        await store.remove(record.id);
        applied.delete(name);
        await forgetCredentials(name);
        await drop(name);
      });
      onChange('removed', name);
    },
  };
}

/** The host that gets the credentials for a server; undefined for a local program. */
function hostOf({ url, openapi }: ServerRecord): string | undefined {
  const address = url ?? openapi;
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : address;
}

function readOnlyError(name: string, file: string | undefined): ToolwharfError {
  const where = file === undefined ? 'the configuration' : `the configuration file ${file}`;
  return new ToolwharfError('CONFLICT', `Server '${name}' is in ${where} and can only be changed there`, {
    data: { server: name },
  });
}
