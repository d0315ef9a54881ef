import { systemClock } from '../../kernel/clock.ts';
import { messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import type { FleetStore } from '../ports/fleet-store.ts';
import { retryFailedEnds } from '../retry-ends.ts';
import { createKeyRing } from '../sealer.ts';
import type { SqliteStorageOptions, Storage } from '../storage.ts';
import { toStorageError, translateErrors } from '../translate-errors.ts';
import { createAppendSteps } from './append-steps.ts';
import type { Engine, Ownership } from './engine.ts';
import { migrate } from './migrate.ts';
import { beginKeyChange, checkKey, reseal } from './reseal.ts';
import { createSqlAccounts } from './sql-accounts.ts';
import { createSqlApprovals } from './sql-approvals.ts';
import { createSqlAudit } from './sql-audit.ts';
import { createSqlConversations } from './sql-conversations.ts';
import { createSqlJournal } from './sql-journal.ts';
import { createSqlKeys } from './sql-keys.ts';
import { createSqlOAuth } from './sql-oauth.ts';
import { createSqlPins } from './sql-pins.ts';
import { createSqlSavedRequests } from './sql-saved-requests.ts';
import {
  createSqlAssistants,
  createSqlMeta,
  createSqlModelSettings,
  createSqlProfiles,
  createSqlProviders,
  createSqlRules,
  createSqlScripts,
  createSqlServers,
  createSqlToolOverrides,
} from './sql-stores.ts';
import { createSqlUsers } from './sql-users.ts';
import { createSqlVectors } from './sql-vectors.ts';

type SqlOptions = Pick<SqliteStorageOptions, 'sealer' | 'maxResultBytes' | 'clock' | 'log' | 'expectsCalls'>;

/** Opens storage in a database: migrates the tables, checks the key and ends calls that a crash left open. */
export async function openSql(engine: Engine, options: SqlOptions): Promise<Storage> {
  try {
    await migrate(engine);
    await checkKey(engine.db, options.sealer);
    const ownership = await engine.own();
    const { storage, recover } = assemble(engine, ownership, options);
    await recover();
    // A call that finds the files missing tries again, and reports the error.
    if (options.expectsCalls) engine.spool?.prepare().catch(() => {});
    return storage;
  } catch (cause) {
    await engine.close().catch(() => {});
    throw toStorageError(cause);
  }
}

function assemble(engine: Engine, ownership: Ownership, options: SqlOptions) {
  const { maxResultBytes = 262_144, clock = systemClock, log = silentLog } = options;
  const ring = createKeyRing(options.sealer);
  const append = createAppendSteps(engine, ownership.id);
  const written = createSqlJournal(engine, { ownership, append, maxResultBytes, clock });
  const journal = retryFailedEnds(written, { log, clock, maxResultBytes });
  const audit = createSqlAudit(engine, { ownership, append, clock });
  const fleet = engine.createFleet?.(ownership, ring);
  const warn = (cause: unknown) => log.warning('storage.beat-failed', messageOf(cause));
  // Apart from recovery, which can take longer than the lease.
  const heartbeat = repeatEvery(ownership.renewMs, () => ownership.renew().catch(warn));
  const recovery = repeatEvery(ownership.renewMs, () => recover().catch(warn));
  ownership.lease?.onLost(({ epoch }) =>
    log.warning('storage.lease-lost', 'This replica lost its lease: other replicas ended its calls', { epoch }),
  );
  let closing: Promise<void> | undefined;

  async function recover(): Promise<void> {
    const count = await audit.recover();
    if (count === 0) return;
    log.warning('calls.abandoned', `${count} calls were left open by a process that is gone; they were ended`, {
      count,
    });
  }

  async function change(next: SqlOptions['sealer']): Promise<number> {
    const others = await ownership.others();
    if (others.length > 0) {
      const who = others.join(', ');
      throw new ToolwharfError(
        'STORAGE_UNAVAILABLE',
        `The key can't be changed while other processes use it: stop ${who}`,
      );
    }
    await beginKeyChange(engine.db, next);
    ring.add(next);
    return reseal(engine.db, ring, next);
  }

  async function close(): Promise<void> {
    await heartbeat.stop();
    await recovery.stop();
    await journal.finish();
    await ownership.release().catch((cause) => log.warning('storage.release-failed', messageOf(cause)));
    await engine.close();
  }

  const guard = <Store extends object>(store: Store) => translateErrors(store, 'STORAGE_UNAVAILABLE');
  /** The same store, whose changes other replicas learn of at once. */
  function hinting<Store extends object>(store: Store, changes: readonly (keyof Store & string)[]): Store {
    if (!fleet) return store;
    const hinted = changes.map((name) => {
      const change = store[name] as (...args: unknown[]) => Promise<unknown>;
      const changeAndHint = async (...args: unknown[]) => {
        const result = await change(...args);
        // Other replicas poll too.
        await fleet.hint().catch(() => {});
        return result;
      };
      return [name, changeAndHint];
    });
    return { ...store, ...Object.fromEntries(hinted) };
  }

  const { withLock, ...oauth } = createSqlOAuth(engine, ring, engine.createLocks?.(ownership));
  // The errors of what runs under the lock are not those of the storage.
  const oauthStore = { ...guard(oauth), withLock };
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  const { get, list, claim, write } = journal;
  const { current: currentRules, ...rules } = createSqlRules(engine);
  const storage: Storage = {
    // Not wrapped: the journal translates its own errors, and each call uses it.
    journal: {
      ...translateErrors({ get, list, claim }, 'JOURNAL_UNAVAILABLE'),
      write,
      isShared: !engine.exclusive,
      replica: fleet?.replica,
      lease: ownership.lease,
    },
    pins: hinting(guard(createSqlPins(engine)), ['setAll']),
    // Not wrapped: every call uses the rules that are in memory.
    rules: { ...hinting(guard(rules), ['add', 'remove']), current: currentRules },
    approvals: guard(createSqlApprovals(engine)),
    servers: hinting(guard(createSqlServers(engine, ring)), ['put', 'remove']),
    oauth: hinting(oauthStore, ['set']),
    accounts: hinting(guard(createSqlAccounts(engine, ring)), ['put', 'remove']),
    keys: hinting(guard(createSqlKeys(engine)), ['add', 'revoke']),
    users: hinting(guard(createSqlUsers(engine)), ['save', 'disable', 'enable', 'remove']),
    assistants: hinting(guard(createSqlAssistants(engine)), ['put', 'remove']),
    providers: hinting(guard(createSqlProviders(engine, ring)), ['put', 'remove']),
    modelSettings: guard(createSqlModelSettings(engine)),
    profiles: hinting(guard(createSqlProfiles(engine)), ['put', 'remove']),
    scripts: hinting(guard(createSqlScripts(engine)), ['put', 'remove']),
    toolOverrides: hinting(guard(createSqlToolOverrides(engine.db)), ['setAll']),
    conversations: guard(createSqlConversations(engine, ownership, audit.recover)),
    savedRequests: guard(createSqlSavedRequests(engine)),
    vectors: guard(createSqlVectors(engine, clock)),
    meta: guard(createSqlMeta(engine.db)),
    audit,
    fleet: fleet && {
      ...fleet,
      ...guard(fleetQueries(fleet)),
      limits: guard(fleet.limits),
      placements: guard(fleet.placements),
    },
    ...guard({ reseal: change }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
  return { storage, recover };
}

/** Runs a task repeatedly, never twice at once, and without keeping the process alive. */
function repeatEvery(ms: number | undefined, run: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
  };
  const timer = ms === undefined ? undefined : setInterval(start, ms).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** The methods that use the database and return promises. */
function fleetQueries(store: FleetStore) {
  const {
    replica: _replica,
    listen: _listen,
    lease: _lease,
    limits: _limits,
    placements: _placements,
    ...queries
  } = store;
  return queries;
}
