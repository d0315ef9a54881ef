import { randomUUID } from 'node:crypto';
import { createMatcher } from '../../catalog/match-globs.ts';
import { buildProfile } from '../../config/build-profiles.ts';
import type { ProfileConfig } from '../../config/config.ts';
import type { CheckedProfile } from '../../config/native-schema.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { createMutex } from '../../kernel/mutex.ts';
import type { KeyStore } from '../../storage/ports/key-store.ts';
import { type ProfileRecord, type ProfileStore, profileNameTaken } from '../../storage/ports/profile-store.ts';
import type { AdministeredToolbox } from '../../toolbox.ts';

/** Profiles created over the API. A profile of the same name in the configuration file wins. */
export interface StoredProfiles {
  /** Reads the stored profiles and adds them to the toolbox. Another replica may have changed them. */
  reload(): Promise<void>;
  /** The stored profile of this name; undefined if the configuration file defines the name. */
  find(name: string): ProfileRecord | undefined;
  /** Adds a profile. Rejects a name that is taken. */
  add(name: string, profile: CheckedProfile): Promise<ProfileRecord>;
  /**
   * Replaces a stored profile, or the built-in `default`. Rejects if `updatedAt` is given and the profile was changed
   * since then.
   */
  update(name: string, profile: CheckedProfile, updatedAt?: string): Promise<ProfileRecord>;
  /** Rejects while keys use the profile. */
  remove(name: string): Promise<void>;
}

export interface StoredProfilesOptions {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'loaded' | 'setProfiles'>;
  readonly store: ProfileStore;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly log: Log;
}

export function createStoredProfiles({ toolbox, store, keys, log }: StoredProfilesOptions): StoredProfiles {
  // Each change must read the result of the previous one.
  const exclusively = createMutex();
  let records: readonly ProfileRecord[] = [];
  const shadowed = new Set<string>();

  function apply(): void {
    toolbox.setProfiles((config) => {
      const defined = new Set(config.profiles.filter(({ builtIn }) => !builtIn).map(({ name }) => name));
      for (const { name } of records.filter((record) => defined.has(record.name) && !shadowed.has(record.name))) {
        shadowed.add(name);
        const message = `Profile '${name}' is both stored and in the configuration file: the one in the file is used`;
        log.warning('profiles.shadowed', message, { profile: name });
      }
      inFile = defined;
      return records.map(({ name, ...profile }) => buildProfile(name, profile, config));
    });
  }

  /** The names of the profiles that the file defines. */
  let inFile: ReadonlySet<string> = new Set();

  async function read(): Promise<void> {
    records = await store.list();
    apply();
  }

  function find(name: string): ProfileRecord | undefined {
    return inFile.has(name) ? undefined : records.find((record) => record.name === name);
  }

  function assertStored(name: string): void {
    if (inFile.has(name)) throw readOnlyError(name, toolbox.loaded.file);
  }

  return {
    reload: () => exclusively(read),
    find,
    add: (name, profile) =>
      exclusively(async () => {
        await read();
        if (toolbox.config.profiles.some((known) => known.name === name)) throw profileNameTaken(name);
        assertPatterns(profile);
        const now = new Date().toISOString();
        const record: ProfileRecord = { ...profile, id: randomUUID(), name, createdAt: now, updatedAt: now };
        await store.put(record);
        await read();
        return record;
      }),
    update: (name, profile, updatedAt) =>
      exclusively(async () => {
        await read();
        assertStored(name);
        const before = find(name);
        if (!before && !toolbox.config.profiles.some((known) => known.name === name)) throw noProfile(name);
        if (before && updatedAt !== undefined && before.updatedAt !== updatedAt)
          throw new ToolwharfError('CONFLICT', `Profile '${name}' was changed meanwhile: reload it and try again`);
        assertPatterns(profile);
        const now = new Date().toISOString();
        const { id, createdAt } = before ?? { id: randomUUID(), createdAt: now };
        const record: ProfileRecord = { ...profile, id, name, createdAt, updatedAt: now };
        await store.put(record);
        await read();
        return record;
      }),
    remove: (name) =>
      exclusively(async () => {
        await read();
        assertStored(name);
        const record = find(name);
        if (!record) throw noProfile(name);
        const users = (await keys.list()).filter((key) => key.profile === name && key.revokedAt === undefined);
        if (users.length > 0 && name !== 'default') throw inUseError(name, users);
        await store.remove(record.id);
        await read();
      }),
  };
}

export function noProfile(name: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no profile '${name}'`, { data: { profile: name } });
}

/** Why a profile cannot be changed; undefined if it can. */
export function readOnlyReason({ name }: Pick<ProfileConfig, 'name'>, file: string | undefined): string {
  const where = file === undefined ? 'the configuration' : `the configuration file ${file}`;
  return `Profile '${name}' is in ${where} and can only be changed there`;
}

function readOnlyError(name: string, file: string | undefined): ToolwharfError {
  return new ToolwharfError('CONFLICT', readOnlyReason({ name }, file), { data: { profile: name } });
}

function inUseError(name: string, users: readonly { readonly name: string }[]): ToolwharfError {
  const shown = users.slice(0, 5).map((key) => `'${key.name}'`);
  const more = users.length > shown.length ? ` and ${users.length - shown.length} more` : '';
  const list = `${shown.join(', ')}${more}`;
  const which = users.length === 1 ? `the key ${list} uses` : `the keys ${list} use`;
  const what = users.length === 1 ? 'revoke it first' : 'revoke them first';
  return new ToolwharfError('CONFLICT', `Profile '${name}' cannot be deleted, because ${which} it: ${what}`, {
    data: { profile: name, keys: users.length },
  });
}

/** Rejects patterns that would fail when they are used. */
function assertPatterns({ servers, allow, deny, resources, prompts, skills, approval }: CheckedProfile): void {
  const lists = { servers, allow, deny, resources, prompts, skills };
  const all = { ...lists, trustedTools: approval?.trustedTools, ask: approval?.ask, never: approval?.deny };
  for (const patterns of Object.values(all)) if (patterns) createMatcher(patterns);
}
