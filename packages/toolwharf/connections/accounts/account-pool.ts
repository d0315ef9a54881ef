import { ToolwharfError } from '../../../contract/errors.ts';
import type { ServerSpec } from '../../../contract/settings/config.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { Clock } from '../../kernel/clock.ts';
import { abortable } from '../../kernel/wait.ts';
import type { Connection } from '../connection.ts';
import type { Account } from './account-store.ts';

/** The connections of accounts at one server: opened on demand, bounded, and closed when idle. */
export interface AccountPool {
  /** Runs work on the connection of the account. The connection stays open while work runs. */
  use<Value>(account: Account, work: (connection: Connection) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /** Opens the connection and keeps it open until the returned function is called. */
  hold(account: Account, signal?: AbortSignal): Promise<{ readonly connection: Connection; release(): void }>;
  /** The open connections. */
  all(): readonly Connection[];
  /** Closes the connection of an account; its running requests fail. */
  close(account: string): Promise<void>;
  closeAll(): Promise<void>;
}

export interface AccountPoolOptions {
  readonly spec: ServerSpec;
  readonly clock: Clock;
  /** Creates the connection of an account, which is not open yet. */
  readonly create: (account: Account) => Connection;
}

interface Entry {
  readonly connection: Connection;
  /** Changes with the credentials. */
  readonly version: string;
  readonly opening: Promise<void>;
  uses: number;
  usedAt: number;
}

/** Connections that no call has used for this time are closed. */
const idleMs = 300_000;

export function createAccountPool(options: AccountPoolOptions): AccountPool {
  const { spec, clock, create } = options;
  const { name, maxAccountConnections: max } = spec;
  // In the order of their last use.
  const entries = new Map<string, Entry>();
  let sweeping: AbortController | undefined;

  async function remove(id: string, entry: Entry): Promise<void> {
    if (entries.get(id) === entry) entries.delete(id);
    if (entries.size === 0) sweeping?.abort();
    await entry.connection.disconnect();
  }

  async function closeIdle({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(idleMs / 5, signal).catch(() => {});
      const idle = [...entries].filter(([, { uses, usedAt }]) => uses === 0 && clock.now() - usedAt > idleMs);
      await Promise.all(idle.map(([id, entry]) => remove(id, entry).catch(() => {})));
    }
  }

  /** Makes room for one more connection. */
  function makeRoom(): void {
    if (entries.size < max) return;
    const [idlest] = [...entries].filter(([, { uses }]) => uses === 0);
    if (idlest) return void remove(...idlest).catch(() => {});
    const message = `Server '${name}' has ${max} accounts in use already: try again later, or raise maxAccountConnections`;
    throw new ToolwharfError('QUEUE_FULL', message, { data: { server: name, reached: false } });
  }

  function open(account: Account, version: string): Entry {
    makeRoom();
    const connection = create(account);
    const opening = connection.connect({ attempts: 1 });
    const entry = { connection, version, opening, uses: 0, usedAt: clock.now() };
    // A connection that cannot be opened is not tried again until it is needed.
    opening.catch(() => remove(account.id, entry).catch(() => {}));
    if (!sweeping || sweeping.signal.aborted) {
      sweeping = new AbortController();
      void closeIdle(sweeping);
    }
    return entry;
  }

  function take(account: Account): Entry {
    const version = hashOf(account.values ?? {});
    const known = entries.get(account.id);
    if (known && known.version !== version) remove(account.id, known).catch(() => {});
    const entry = known?.version === version ? known : open(account, version);
    entries.delete(account.id);
    entries.set(account.id, entry);
    entry.uses++;
    return entry;
  }

  function release(entry: Entry): void {
    entry.uses--;
    entry.usedAt = clock.now();
  }

  const pool: AccountPool = {
    async use(account, work, signal) {
      const entry = take(account);
      try {
        await abortable(entry.opening, signal);
        return await work(entry.connection);
      } finally {
        release(entry);
      }
    },
    async hold(account, signal) {
      const entry = take(account);
      try {
        await abortable(entry.opening, signal);
      } catch (cause) {
        release(entry);
        throw cause;
      }
      let isHeld = true;
      return {
        connection: entry.connection,
        release() {
          if (isHeld) release(entry);
          isHeld = false;
        },
      };
    },
    all: () => [...entries.values()].map(({ connection }) => connection),
    async close(id) {
      const entry = entries.get(id);
      if (entry) await remove(id, entry);
    },
    async closeAll() {
      await Promise.all([...entries].map(([id, entry]) => remove(id, entry)));
    },
  };
  return pool;
}
