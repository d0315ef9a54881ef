import type { KeyObject } from 'node:crypto';
import { isEmptyOverride } from '../../catalog/tool-overrides.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import { applyClaims, type User, type UserStore } from '../ports/user-store.ts';
import type { Storage } from '../storage.ts';
import { currentActor, signObject } from './acts.ts';
import { hashAnswer, hashKey, hashOverrides, hashUser, overridesSubject } from './tracked-state.ts';

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

/** The same store, which records changes of what users may do. A sign-in that changes nothing is no act. */
function journalUserActs(users: UserStore, record: RecordAct, recorded: Recorded): UserStore {
  const describe = ({ role, profile, name, email }: User): JsonObject => ({ role, profile, name, email });

  async function change(id: string, act: string, change: Partial<User>, work: () => Promise<boolean>) {
    const before = await users.get(id);
    if (!before) return false;
    const after = { ...before, ...change };
    if (hashUser(before) === hashUser(after)) return work();
    return recorded(
      () => record(`user.${act}`, `user/${id}`, { hash: hashUser(after), details: describe(after) }),
      work,
      () => record(`user.not-${act}`, `user/${id}`, { hash: hashUser(before) }),
    );
  }

  return {
    ...users,
    async save(id, claims) {
      const before = await users.find(claims.issuer, claims.subject);
      const expected = applyClaims(before, id, claims);
      const subject = `user/${expected.id}`;
      if (before && hashUser(before) === hashUser(expected)) return users.save(id, claims);
      const saved = await recorded(
        () =>
          record(before ? 'user.changed' : 'user.added', subject, {
            hash: hashUser(expected),
            details: describe(expected),
          }),
        () => users.save(id, claims),
        () => record('user.not-saved', subject, { hash: before && hashUser(before) }),
      );
      if (hashUser(saved) === hashUser(expected)) return saved;
      // Another sign-in of the same person was faster.
      if (saved.id !== expected.id) await record('user.not-saved', subject);
      await record('user.changed', `user/${saved.id}`, { hash: hashUser(saved), details: describe(saved) });
      return saved;
    },
    disable: (id, at) => change(id, 'disabled', { disabledAt: at }, () => users.disable(id, at)),
    enable: (id) => change(id, 'enabled', { disabledAt: undefined }, () => users.enable(id)),
    async remove(id) {
      const before = await users.get(id);
      if (!before) return false;
      return recorded(
        () => record('user.removed', `user/${id}`, { details: describe(before) }),
        () => users.remove(id),
        () => record('user.not-removed', `user/${id}`, { hash: hashUser(before) }),
      );
    },
  };
}
