import { randomUUID } from 'node:crypto';
import { type CheckedServerRecord, type ServerRecord, toNativeServer } from '../../config/server-record.ts';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { createMutex } from '../../kernel/mutex.ts';
import { waitAtMost } from '../../kernel/wait.ts';
import type { ServerStore } from '../../servers/server-store.ts';
import type { Toolbox } from '../../toolbox.ts';

/** Servers that were added while running: kept in the store, and in the toolbox beside the file's. The file's win. */
export interface StoredServers {
  /** Resolves when all are in the toolbox; they go on connecting behind it. */
  start(): Promise<void>;
  /** By name; undefined for the file's, also where a stored one has the same name. */
  find(name: string): Promise<ServerRecord | undefined>;
  list(): Promise<readonly ServerRecord[]>;
  /** Why a stored server is not used. */
  problemOf(record: ServerRecord): string | undefined;
  /** Resolves when it is saved and had a fair chance to connect. */
  add(server: CheckedServerRecord): Promise<ServerRecord>;
  /** Takes what `change` makes of the stored record. */
  update(name: string, change: (record: ServerRecord) => CheckedServerRecord): Promise<ServerRecord>;
  remove(name: string): Promise<void>;
}

export interface StoredServersOptions {
  readonly toolbox: Toolbox;
  readonly store: ServerStore;
  readonly log: Log;
  /** Whether programs are started. */
  readonly allowsPrograms: () => boolean;
  readonly onChange: (kind: 'added' | 'updated' | 'removed', server: string) => void;
  /** How long adding waits for the server to connect; 10 000. */
  readonly connectWaitMs?: number;
}

export function createStoredServers(options: StoredServersOptions): StoredServers {
  const { toolbox, store, log, onChange, connectWaitMs = 10_000 } = options;
  // Each change reads what the one before it wrote.
  const oneAtATime = createMutex();

  const isFiles = (name: string) => toolbox.config.servers.some((server) => server.name === name);

  function problemOf({ name, transport }: ServerRecord): string | undefined {
    if (transport !== 'stdio' || options.allowsPrograms()) return undefined;
    return `Server '${name}' is a program, and programs that were added over the API are not started: gateway.allowPrograms is off`;
  }

  async function find(name: string): Promise<ServerRecord | undefined> {
    if (isFiles(name)) return undefined;
    return (await store.list()).find((record) => record.name === name);
  }

  async function mustFind(name: string): Promise<ServerRecord> {
    if (isFiles(name)) throw readOnly(name, toolbox.loaded.file);
    const record = await find(name);
    if (record) return record;
    throw new ToolwharfError('NOT_FOUND', `There is no server '${name}'`, { data: { server: name } });
  }

  const isUsed = (record: ServerRecord) => record.enabled && problemOf(record) === undefined;
  const toNative = (record: ServerRecord) => toNativeServer({ ...record, enabled: isUsed(record) });

  /** Has the toolbox hold exactly the stored servers beside the file's. */
  async function reconcile(): Promise<void> {
    for (const record of await store.list()) {
      const { name } = record;
      const held = toolbox.server(name);
      const unusable = (cause: unknown) =>
        log.error('servers.unusable', `Stored server '${name}' can't be used: ${messageOf(cause)}`, { server: name });
      if (isFiles(name)) {
        const message = `Server '${name}' is stored and in the configuration file: the file's is used`;
        log.warning('servers.shadowed', message, { server: name });
      } else if (!held) toolbox.addServer(name, toNative(record)).catch(unusable);
      else if (held.enabled !== isUsed(record)) await toolbox.updateServer(name, toNative(record)).catch(unusable);
    }
  }

  async function noteConnected(name: string, lastConnectedAt: string): Promise<void> {
    const record = await find(name);
    if (record && record.lastConnectedAt !== lastConnectedAt) await store.put({ ...record, lastConnectedAt });
  }

  toolbox.on('server.changed', ({ server, status }) => {
    if (status.state !== 'connected' || status.lastConnectedAt === undefined || isFiles(server)) return;
    const { lastConnectedAt } = status;
    oneAtATime(() => noteConnected(server, lastConnectedAt)).catch((cause) =>
      log.warning('servers.not-noted', `It could not be noted that '${server}' connected: ${messageOf(cause)}`),
    );
  });
  toolbox.on('config.applied', () => {
    oneAtATime(reconcile).catch((cause) =>
      log.error('servers.unreadable', `The stored servers can't be read: ${messageOf(cause)}`),
    );
  });

  async function assertFree(name: string): Promise<void> {
    const isStored = (await store.list()).some((record) => record.name === name);
    if (!isStored && !toolbox.server(name)) return;
    throw new ToolwharfError('CONFLICT', `There is a server named '${name}' already: choose another name`, {
      data: { server: name },
    });
  }

  async function replace(before: ServerRecord, record: ServerRecord): Promise<void> {
    if (before.name === record.name && toolbox.server(record.name)) {
      await toolbox.updateServer(record.name, toNative(record));
      return;
    }
    if (toolbox.server(before.name)) await toolbox.removeServer(before.name);
    await toolbox.addServer(record.name, toNative(record));
  }

  return {
    start: () => oneAtATime(reconcile),
    find,
    list: async () => (await store.list()).filter((record) => !isFiles(record.name)),
    problemOf,
    async add(server) {
      const now = new Date().toISOString();
      const record: ServerRecord = { ...server, id: randomUUID(), createdAt: now, updatedAt: now };
      const { connecting } = await oneAtATime(async () => {
        await assertFree(record.name);
        await store.put(record);
        return { connecting: toolbox.addServer(record.name, toNative(record)) };
      });
      try {
        await waitAtMost(connecting, connectWaitMs);
      } catch (cause) {
        await oneAtATime(() => store.remove(record.id));
        throw cause;
      }
      onChange('added', record.name);
      return record;
    },
    async update(name, change) {
      const updated = await oneAtATime(async () => {
        const before = await mustFind(name);
        const { id, createdAt, lastConnectedAt } = before;
        const record: ServerRecord = {
          ...change(before),
          id,
          createdAt,
          lastConnectedAt,
          updatedAt: new Date().toISOString(),
        };
        if (record.name !== name) await assertFree(record.name);
        await store.put(record);
        // In turn: until the old connection has ended, its name must not be taken by another.
        await waitAtMost(replace(before, record), connectWaitMs).catch(async (cause) => {
          await store.put(before);
          throw cause;
        });
        return record;
      });
      if (updated.name !== name) onChange('removed', name);
      onChange(updated.name === name ? 'updated' : 'added', updated.name);
      return updated;
    },
    async remove(name) {
      await oneAtATime(async () => {
        const record = await mustFind(name);
        await store.remove(record.id);
        if (toolbox.server(name)) await toolbox.removeServer(name);
      });
      onChange('removed', name);
    },
  };
}

function readOnly(name: string, file: string | undefined): ToolwharfError {
  const place = file === undefined ? 'the configuration' : `the configuration file ${file}`;
  return new ToolwharfError('CONFLICT', `Server '${name}' is in ${place} and can only be changed there`, {
    data: { server: name },
  });
}
