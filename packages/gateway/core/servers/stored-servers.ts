import { messageOf } from '../../../contract/errors.ts';
import type { Config } from '../../../contract/settings/config.ts';
import type { NativeServer } from '../../../contract/settings/server-schema.ts';
import { findServerWithoutToken, type ServerWithoutToken } from '../../../toolwharf/config/default-servers.ts';
import {
  type CheckedServerRecord,
  type ServerRecord,
  toNativeServer,
} from '../../../toolwharf/config/server-record.ts';
import type { ConnectionStatus } from '../../../toolwharf/connections/status.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { waitAtMost } from '../../../toolwharf/kernel/wait.ts';
import type { ServerInfo } from '../../../toolwharf/servers/server-info.ts';
import type { RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import { administer, nameTaken } from '../records/administer.ts';
import { withoutRevision } from '../records/modify-record.ts';

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
  find(name: string): Promise<Stored<ServerRecord> | undefined>;
  list(): Promise<readonly Stored<ServerRecord>[]>;
  /** The default server of this name, if it has no token: a stored server can replace it. */
  findWithoutToken(name: string): ServerWithoutToken | undefined;
  /** Why a stored server is not used. */
  problemOf(record: ServerRecord): string | undefined;
  /** Resolves when the server is stored and connected, or when the connection takes too long. */
  add(server: CheckedServerRecord): Promise<ServerRecord>;
  /** Replaces the stored record by the result of `change`. Rejects if it does not have the revision, if one is given. */
  update(name: string, change: (record: ServerRecord) => CheckedServerRecord, revision?: number): Promise<ServerRecord>;
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
  readonly store: RecordStore<ServerRecord>;
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

  /** The default server without a token that a stored server of this name replaces. */
  function findWithoutToken(name: string): ServerWithoutToken | undefined {
    const isDisabled = toolbox.config.servers.some((server) => server.name === name && !server.enabled);
    return toolbox.loaded.isDefault && isDisabled ? findServerWithoutToken(name) : undefined;
  }

  const isInFile = (name: string) =>
    toolbox.config.servers.some((server) => server.name === name) && !findWithoutToken(name);

  const stored = administer<ServerRecord>({ noun: 'server', store, isInFile, file: () => toolbox.loaded.file });
  const { exclusively } = stored;

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

  function problemOf({ name, transport, review }: ServerRecord): string | undefined {
    if (review)
      return `Server '${name}' is not started: it waits until an administrator accepts what ${review.by} added`;
    if (transport !== 'stdio' || options.allowsPrograms()) return undefined;
    return `Server '${name}' is a local (stdio) server and is not started, because gateway.allowPrograms is off`;
  }

  const isEnabled = (record: ServerRecord) => record.enabled && problemOf(record) === undefined;
  const toNative = (record: ServerRecord) => toNativeServer({ ...record, enabled: isEnabled(record) });

  /** The stored servers in the toolbox, as they are there. */
  const applied = new Map<string, string>();
  const fingerprint = (record: ServerRecord) => hashOf(toNative(record));

  /** Makes the toolbox match the stored servers; returns how it changed. */
  async function reconcile({ isStart = false } = {}): Promise<readonly ServerChange[]> {
    const changes: ServerChange[] = [];
    const records = await stored.read();
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

  toolbox.on('server.changed', ({ server, status }) => {
    if (status.state !== 'connected' || status.lastConnectedAt === undefined || isInFile(server)) return;
    const { lastConnectedAt } = status;
    const record = async () => {
      const connected = await store.find(server);
      if (connected) await store.touch(connected.id, lastConnectedAt);
    };
    record().catch((cause) =>
      log.warning('servers.not-noted', `Could not record that server '${server}' connected: ${messageOf(cause)}`),
    );
  });
  const logUnreadable = (cause: unknown) =>
    log.error('servers.unreadable', `Could not read the stored servers: ${messageOf(cause)}`);
  toolbox.on('config.applied', () => void exclusively(reconcile).catch(logUnreadable));

  function assertNameAvailable(name: string): void {
    const isStored = stored.current.some((record) => record.name === name);
    if (isStored || (toolbox.servers.get(name) && !findWithoutToken(name))) throw nameTaken('server', name);
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
    find: async (name) => (isInFile(name) ? undefined : store.find(name)),
    findWithoutToken,
    list: async () => (await stored.read()).filter((record) => !isInFile(record.name)),
    problemOf,
    async add(server) {
      const { record, connecting } = await exclusively(async () => {
        await stored.read();
        assertNameAvailable(server.name);
        const added = await stored.add(server);
        applied.set(added.name, fingerprint(added));
        return { record: added, connecting: put(added.name, toNative(added)) };
      });
      try {
        await waitAtMost(connecting, connectWaitMs);
      } catch (cause) {
        await exclusively(async () => {
          await store.remove(record.id, record.revision);
          applied.delete(record.name);
        });
        throw cause;
      }
      onChange('added', record.name);
      return record;
    },
    async update(name, change, revision) {
      const updated = await exclusively(async () => {
        await stored.read();
        const before = stored.mustFind(name, revision);
        const settings = change(withoutRevision(before));
        if (settings.name !== name) {
          assertNameAvailable(settings.name);
          await options.onRename?.(name, settings.name);
        }
        const record = await stored.replace(before, settings);
        // Tokens and the values that people entered are for the server that they were entered for.
        if (record.name !== name || hostOf(record) !== hostOf(before)) await forgetCredentials(name);
        // Inside the mutex: the name must stay reserved until the old connection has ended.
        await waitAtMost(replace(before, record), connectWaitMs).catch(async (cause) => {
          // A later change stays.
          await store.replace(before, record.revision);
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
        await stored.read();
        await stored.remove(stored.mustFind(name));
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
