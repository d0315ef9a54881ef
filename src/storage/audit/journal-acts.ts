import type { KeyObject } from 'node:crypto';
import { isEmptyOverride } from '../../catalog/tool-overrides.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { Storage } from '../storage.ts';
import { currentActor, signObject } from './acts.ts';
import { journalUserActs, type RecordAct, type Recorded } from './journal-user-acts.ts';
import { hashAnswer, hashKey, hashOverrides, overridesSubject } from './tracked-state.ts';

/**
 * The same storage, which records changes of rules, keys, users, profiles, saved scripts, tool overrides and approvals, and the
 * removal of old entries, as signed acts in the journal. Except for answers of approvals, a change without its record is not made.
 */
export function journalActs(storage: Storage, key: KeyObject): Storage {
  const { rules, keys, users, profiles, scripts, toolOverrides, approvals, audit } = storage;

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

  /** Records changes of items that have a name. */
  function recordNamed<Item extends { readonly id: string; readonly name: string }, Store extends NamedStore<Item>>(
    kind: 'profile' | 'script',
    store: Store,
    hashItem: (item: Item) => string,
  ): Store {
    const changes: Pick<NamedStore<Item>, 'put' | 'remove'> = {
      async put(item) {
        const subject = `${kind}/${item.id}`;
        const before = await store.get(item.id);
        return recorded(
          () => record(`${kind}.saved`, subject, { hash: hashItem(item), details: { name: item.name } }),
          () => store.put(item),
          () => record(`${kind}.not-saved`, subject, { hash: before && hashItem(before) }),
        );
      },
      async remove(id) {
        const before = await store.get(id);
        if (!before) return false;
        return recorded(
          () => record(`${kind}.removed`, `${kind}/${id}`, { details: { name: before.name } }),
          () => store.remove(id),
          () => record(`${kind}.not-removed`, `${kind}/${id}`, { hash: hashItem(before) }),
        );
      },
    };
    return { ...store, ...changes };
  }

  return {
    ...storage,
    rules: {
      ...rules,
      add(rule) {
        const { scope, answer, audience, server, tool, createdBy } = rule;
        const details = { scope, answer, audience, server, tool };
        return recorded(
          () => record('rule.added', `rule/${rule.id}`, { hash: hashOf(rule), actor: createdBy, details }),
          () => rules.add(rule),
          () => record('rule.not-added', `rule/${rule.id}`),
        );
      },
      async remove(id) {
        const rule = (await rules.list()).find((one) => one.id === id);
        if (!rule) return false;
        return recorded(
          () => record('rule.removed', `rule/${id}`),
          () => rules.remove(id),
          () => record('rule.not-removed', `rule/${id}`, { hash: hashOf(rule) }),
        );
      },
    },
    keys: {
      ...keys,
      add(added) {
        const { name, profile, rights } = added;
        return recorded(
          () => record('key.created', `key/${added.id}`, { hash: hashKey(added), details: { name, profile, rights } }),
          () => keys.add(added),
          () => record('key.not-created', `key/${added.id}`),
        );
      },
      async revoke(id, at) {
        const known = await keys.get(id);
        if (!known || known.revokedAt !== undefined) return false;
        const hash = hashKey({ ...known, revokedAt: new Date(Date.parse(at)).toISOString() });
        return recorded(
          () => record('key.revoked', `key/${id}`, { hash, details: { name: known.name } }),
          () => keys.revoke(id, at),
          () => record('key.not-revoked', `key/${id}`, { hash: hashKey(known) }),
        );
      },
    },
    users: journalUserActs(users, record, recorded),
    profiles: recordNamed('profile', profiles, hashOf),
    scripts: recordNamed('script', scripts, hashOf),
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

interface NamedStore<Item> {
  get(id: string): Promise<Item | undefined>;
  put(item: Item): Promise<void>;
  remove(id: string): Promise<boolean>;
}
