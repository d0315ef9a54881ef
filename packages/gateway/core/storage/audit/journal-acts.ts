import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../../../contract/json.ts';
import { acceptanceHash, pinKey } from '../../../../toolwharf/catalog/pins.ts';
import { isEmptyOverride } from '../../../../toolwharf/catalog/tool-overrides.ts';
import { hashOf } from '../../../../toolwharf/kernel/canonical-json.ts';
import { createMutex } from '../../../../toolwharf/kernel/mutex.ts';
import { toolKey } from '../../../../toolwharf/kernel/tool-id.ts';
import { currentActor, signObject } from '../../../../toolwharf/storage/audit/acts.ts';
import type { RecordStore, Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import type { Storage } from '../../../../toolwharf/storage/storage.ts';
import { type AuditedKind, mapKinds, storeOf } from '../../records/kinds.ts';
import { withoutRevision } from '../../records/modify-record.ts';
import { createRecordStores } from '../../records/record-stores.ts';
import { hashAnswer, hashOverrides, hashPins, overridesSubject, ownersSubject, pinsSubject } from './tracked-state.ts';

/**
 * The same storage, which records changes of all tracked records (`trackedKinds`), and the removal of old entries, as signed acts in
 * the journal. Except for answers of approvals, a change without its record is not made.
 */
export function journalActs(storage: Storage, key: KeyObject): Storage {
  const { toolOverrides, pins, approvals, audit, oauth, meta } = storage;
  const mutex = createMutex();
  const ownersMutex = createMutex();

  const record: RecordAct = async (act, subject, { hash, actor = currentActor(), details } = {}) => {
    const at = new Date().toISOString();
    await audit.record(signObject({ act, subject, hash, actor, details, at }, key));
  };

  const recorded: Recorded = async (first, work, undo) => {
    await first();
    try {
      return await work();
    } catch (cause) {
      await undo();
      throw cause;
    }
  };

  const records = mapKinds((kind) => recordChanges(kind, storeOf(storage.records, kind), record));

  return {
    ...storage,
    ...createRecordStores(records, { isExclusive: !storage.fleet }),
    pins: {
      ...pins,
      setAll(changed) {
        const set = async () => {
          const before = await pins.listHashes();
          const after = new Map([...before, ...changed.map((pin) => [pinKey(pin), acceptanceHash(pin)] as const)]);
          return recorded(
            () => record('pins.accepted', pinsSubject, { hash: hashPins(after), details: { pins: changed.length } }),
            () => pins.setAll(changed),
            () => record('pins.not-accepted', pinsSubject, { hash: hashPins(before) }),
          );
        };
        // Each change is recorded with all pins: two changes at once, also of two replicas, would record one without the other.
        return mutex(() => (oauth.withLock ? oauth.withLock(pinsSubject, set) : set()));
      },
    },
    meta: {
      ...meta,
      set(name, value) {
        if (name !== ownersSubject) return meta.set(name, value);
        const set = async () => {
          const before = await meta.get(name);
          if (before === value) return;
          await recorded(
            () => record('resource-owners.changed', ownersSubject, { hash: hashOf(value) }),
            () => meta.set(name, value),
            () => record('resource-owners.not-changed', ownersSubject, { hash: before && hashOf(before) }),
          );
        };
        // Two replicas at once would record their acts in another order than they write.
        return ownersMutex(() => (oauth.withLock ? oauth.withLock(ownersSubject, set) : set()));
      },
    },
    toolOverrides: {
      ...toolOverrides,
      async setAll(overrides) {
        const before = await toolOverrides.list();
        const after = new Map([...before, ...overrides].map((override) => [toolKey(override), override]));
        const hash = hashOverrides([...after.values()].filter((override) => !isEmptyOverride(override)));
        return recorded(
          () => record('tools.overridden', overridesSubject, { hash, details: { tools: overrides.length } }),
          () => toolOverrides.setAll(overrides),
          () => record('tools.not-overridden', overridesSubject, { hash: hashOverrides(before) }),
        );
      },
    },
    approvals: {
      ...approvals,
      async answer(id, answer, by, now) {
        const outcome = await approvals.answer(id, answer, by, now);
        const hash = answer.kind === 'allow' ? hashAnswer(id, answer) : undefined;
        const details = { answer: answer.kind };
        if (outcome === 'answered') await record('approval.answered', `approval/${id}`, { hash, actor: by, details });
        return outcome;
      },
    },
    audit: {
      ...audit,
      async retain(options) {
        const removed = await audit.retain(options);
        const { anchor } = await audit.ends();
        if (removed.steps > 0) await record('journal.retained', 'journal', { details: { ...anchor } });
        return removed;
      },
    },
  };
}

/** Records a signed act. */
type RecordAct = (
  act: string,
  subject: string,
  more?: { readonly hash?: string; readonly actor?: string; readonly details?: JsonObject },
) => Promise<void>;

/** Records the act, then carries it out; if that fails, records `undo`. */
type Recorded = <Value>(
  first: () => Promise<void>,
  work: () => Promise<Value>,
  undo: () => Promise<void>,
) => Promise<Value>;

/** The same store, which records changes of what the records decide. Other changes, such as the time of a connection, are no acts. */
function recordChanges<Item>(
  { noun, idOf, hash, describe, actorOf }: AuditedKind<Item>,
  store: RecordStore<Item>,
  record: RecordAct,
): RecordStore<Item> {
  /** Records the act, then carries it out. If that fails, the record as it is then is recorded. */
  async function act<Result>(verb: string, item: Item, hashAfter: string | undefined, work: () => Promise<Result>) {
    const subject = `${noun}/${idOf(item)}`;
    const undo = async () => {
      const now = await store.get(idOf(item));
      await record(`${noun}.not-${verb}`, subject, { hash: now && hash(withoutRevision(now)) });
    };
    await record(`${noun}.${verb}`, subject, { hash: hashAfter, actor: actorOf?.(item), details: describe(item) });
    try {
      const result = await work();
      if (!result) await undo();
      return result;
    } catch (cause) {
      await undo();
      throw cause;
    }
  }

  async function replace(item: Item, revision: number): Promise<Stored<Item> | undefined> {
    const before = await store.get(idOf(item));
    if ((before?.revision ?? 0) !== revision) return undefined;
    // What was read with its revision is written without it.
    const after = hash(withoutRevision(item as Stored<Item>));
    if (before && hash(withoutRevision(before)) === after) return store.replace(item, revision);
    return act(before ? 'changed' : 'added', item, after, () => store.replace(item, revision));
  }

  return {
    ...store,
    replace,
    async put(item) {
      for (;;) {
        const stored = await replace(item, (await store.get(idOf(item)))?.revision ?? 0);
        if (stored) return stored;
      }
    },
    async remove(id, revision) {
      const before = await store.get(id);
      if (!before || (revision !== undefined && revision !== before.revision)) return false;
      return act('removed', withoutRevision(before), undefined, () => store.remove(id, revision));
    },
  };
}
