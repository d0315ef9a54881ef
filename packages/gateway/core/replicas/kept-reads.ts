import type { FleetTopic } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { Fleet } from './fleet.ts';

/**
 * The storage of a replica, which keeps what each request reads (rules, keys, users and roles) until any replica changes it. Changes of
 * this replica hold at once, those of others when they are reported, within a second.
 */
export function keepReads(storage: Storage, fleet: Fleet): Storage {
  // One process that has the database to itself reads it in its own memory.
  if (!storage.fleet) return storage;
  const { rules, keys, users, roles } = storage;
  const keptRules = createKept(fleet, 'rules');
  const keptKeys = createKept(fleet, 'api_keys');
  const keptUsers = createKept(fleet, 'users');
  const keptRoles = createKept(fleet, 'roles');
  return {
    ...storage,
    rules: {
      list: () => keptRules.read('', rules.list),
      listNow: rules.list,
      add: (rule) => keptRules.change(rules.add(rule)),
      remove: (id) => keptRules.change(rules.remove(id)),
    },
    keys: {
      ...keys,
      get: (id) => keptKeys.read(`id ${id}`, () => keys.get(id)),
      findByHash: (hash) => keptKeys.read(`hash ${hash}`, () => keys.findByHash(hash)),
      add: (key) => keptKeys.change(keys.add(key)),
      revoke: (id, at) => keptKeys.change(keys.revoke(id, at)),
    },
    roles: {
      ...roles,
      find: (name) => keptRoles.read(name, () => roles.find(name)),
      replace: (role, revision) => keptRoles.change(roles.replace(role, revision)),
      remove: (id, revision) => keptRoles.change(roles.remove(id, revision)),
    },
    users: {
      ...users,
      get: (id) => keptUsers.read(`id ${id}`, () => users.get(id)),
      find: (issuer, subject) => keptUsers.read(JSON.stringify([issuer, subject]), () => users.find(issuer, subject)),
      save: (id, claims) => keptUsers.change(users.save(id, claims)),
      disable: (id, at) => keptUsers.change(users.disable(id, at)),
      enable: (id) => keptUsers.change(users.enable(id)),
      endSessions: (id, at) => keptUsers.change(users.endSessions(id, at)),
      elevate: (id, elevation) => keptUsers.change(users.elevate(id, elevation)),
      endElevation: (id, elevation) => keptUsers.change(users.endElevation(id, elevation)),
      remove: (id) => keptUsers.change(users.remove(id)),
    },
  };
}

const maxKept = 10_000;
/** How long a value is used that may have changed: while another replica's changes are read late, each call would read it. */
const maxAgeMs = 500;

interface Kept {
  read<T>(name: string, read: () => Promise<T>): Promise<T>;
  /** Forgets what was read when the change has ended. A change that rejects may have been made too. */
  change<T>(change: Promise<T>): Promise<T>;
}

function createKept(fleet: Fleet, topic: FleetTopic): Kept {
  const kept = new Map<string, { readonly value: Promise<unknown>; readonly readAt: number }>();
  // A read that has begun before the change is forgotten with the others, even if it ends later.
  fleet.onChange(topic, () => kept.clear());

  function read<T>(name: string, readNow: () => Promise<T>): Promise<T> {
    const known = kept.get(name);
    const readAt = performance.now();
    if (known && (fleet.isCurrent || readAt - known.readAt < maxAgeMs)) return known.value as Promise<T>;
    const reading = readNow();
    if (kept.size >= maxKept) kept.clear();
    kept.set(name, { value: reading, readAt });
    const forget = () => {
      if (kept.get(name)?.value === reading) kept.delete(name);
    };
    // A missing value is not kept: requests with invented keys would fill the memory.
    reading.then((value) => value === undefined && forget(), forget);
    return reading;
  }

  return { read, change: (change) => change.finally(() => kept.clear()) };
}
