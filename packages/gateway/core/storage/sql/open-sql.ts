import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { systemClock } from '../../../../toolwharf/kernel/clock.ts';
import { silentLog } from '../../../../toolwharf/kernel/log.ts';
import type { CallCountQuery } from '../../../../toolwharf/storage/ports/call-counts.ts';
import type { FleetStore } from '../../../../toolwharf/storage/ports/fleet-store.ts';
import { createKeyRing } from '../../../../toolwharf/storage/sealer.ts';
import type { SqliteStorageOptions, Storage } from '../../../../toolwharf/storage/storage.ts';
import { mapKinds, modelSettingsKind, pluginKind, type RecordKind } from '../../records/kinds.ts';
import { createModelSettings, createRecordStores } from '../../records/record-stores.ts';
import { retryFailedEnds } from '../retry-ends.ts';
import { toStorageError, translateErrors, translateIteration } from '../translate-errors.ts';
import { createAppendSteps } from './append-steps.ts';
import { countCalls } from './count-calls.ts';
import { countRules } from './count-rules.ts';
import type { Engine, Ownership } from './engine.ts';
import { migrate } from './migrate.ts';
import { isMalformedRow } from './parse-row.ts';
import { beginKeyChange, checkKey, discardSealed, listSealed, reseal } from './reseal.ts';
import { createSqlAccounts } from './sql-accounts.ts';
import { createSqlApprovals } from './sql-approvals.ts';
import { createSqlAudit } from './sql-audit.ts';
import { createSqlBudgets } from './sql-budgets.ts';
import { createSqlConversations } from './sql-conversations.ts';
import { createSqlEndedSessions } from './sql-ended-sessions.ts';
import { createSqlJournal } from './sql-journal.ts';
import { createSqlOAuth } from './sql-oauth.ts';
import { createSqlPins } from './sql-pins.ts';
import { createSqlMeta, createSqlRecords, createSqlToolOverrides } from './sql-records.ts';
import { createSqlSavedRequests } from './sql-saved-requests.ts';
import { createSqlVectors } from './sql-vectors.ts';

type SqlOptions = Pick<
  SqliteStorageOptions,
  'sealer' | 'isKeyless' | 'maxResultBytes' | 'clock' | 'log' | 'expectsCalls'
>;

/** Opens storage in a database: migrates the tables, checks the key and ends calls that a crash left open. */
export async function openSql(engine: Engine, options: SqlOptions): Promise<Storage> {
  try {
    await migrate(engine);
    if (!options.isKeyless) await checkKey(engine.db, options.sealer);
    const ownership = await engine.own();
    const { storage, recover } = assemble(engine, ownership, options);
    await recover().catch((cause) => {
      // Commands can still read the journal and report what is malformed.
      if (options.expectsCalls || !isMalformedRow(cause)) throw cause;
    });
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

  async function assertAlone(): Promise<void> {
    const others = await ownership.others();
    if (others.length === 0) return;
    const who = others.join(', ');
    throw new ToolwharfError(
      'STORAGE_UNAVAILABLE',
      `The key can't be changed while other processes use it: stop ${who}`,
    );
  }

  async function change(next: SqlOptions['sealer']): Promise<number> {
    await assertAlone();
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
  const approvals = createSqlApprovals(engine);
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  const { get, list, claim, write } = journal;
  const openRecords = <Item>(kind: RecordKind<Item>) => guard(createSqlRecords(engine, kind, ring));
  const records = mapKinds((kind) => hinting(openRecords(kind), ['put', 'replace', 'remove']));
  const storage: Storage = {
    // Not wrapped: the journal translates its own errors, and each call uses it.
    journal: {
      ...translateErrors({ get, list, claim }, 'JOURNAL_UNAVAILABLE'),
      write,
      isShared: !engine.exclusive,
      replica: fleet?.replica,
      lease: ownership.lease,
    },
    callCounts: guard({
      async count(query: CallCountQuery) {
        await journal.idle();
        return countCalls(engine, query);
      },
      async countRules(period, latest) {
        await journal.idle();
        return countRules(engine, period, latest);
      },
    }),
    budgets: guard(createSqlBudgets(engine, clock)),
    pins: hinting(guard(createSqlPins(engine)), ['setAll']),
    ...createRecordStores(records, { isExclusive: engine.exclusive }),
    approvals: { ...guard(approvals), answers: (since) => translateIteration(approvals.answers(since)) },
    oauth: hinting(oauthStore, ['set']),
    accounts: hinting(guard(createSqlAccounts(engine, ring)), ['put', 'remove']),
    endedSessions: hinting(guard(createSqlEndedSessions(engine, clock)), ['add']),
    modelSettings: createModelSettings(openRecords(modelSettingsKind)),
    toolOverrides: hinting(guard(createSqlToolOverrides(engine, ring)), ['setAll']),
    conversations: guard(createSqlConversations(engine, ownership, audit.recover)),
    savedRequests: guard(createSqlSavedRequests(engine)),
    vectors: guard(createSqlVectors(engine, clock)),
    meta: guard(createSqlMeta(engine.db)),
    openPluginRecords: (plugin, kind, { isSealed }) => openRecords(pluginKind(plugin, kind, isSealed)),
    audit,
    fleet: fleet && {
      ...fleet,
      ...guard(fleetQueries(fleet)),
      limits: guard(fleet.limits),
      placements: guard(fleet.placements),
    },
    ...guard({
      reseal: change,
      listSealed: () => listSealed(engine.db),
      async discardSealed() {
        await assertAlone();
        await discardSealed(engine.db);
      },
    }),
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
