import { ToolwharfError } from '../../../contract/errors.ts';
import { createMatcher } from '../../../contract/match-globs.ts';
import type { CheckedProfile } from '../../../contract/settings/native-schema.ts';
import { buildProfile } from '../../../toolwharf/config/build-profiles.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { KeyStore } from '../../../toolwharf/storage/ports/key-store.ts';
import type { ProfileRecord, RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox.ts';
import { administer, nameTaken } from '../records/administer.ts';

/** Profiles created over the API. A profile of the same name in the configuration file wins. */
export interface StoredProfiles {
  /** Reads the stored profiles and adds them to the toolbox. Another replica may have changed them. */
  reload(): Promise<void>;
  /** The stored profile of this name; undefined if the configuration file defines the name. */
  find(name: string): Stored<ProfileRecord> | undefined;
  /** Adds a profile. Rejects a name that is taken. */
  add(name: string, profile: CheckedProfile): Promise<void>;
  /** Replaces a stored profile, or the built-in `default`. Rejects if the stored profile does not have the revision, if one is given. */
  update(name: string, profile: CheckedProfile, revision?: number): Promise<void>;
  /** Rejects while keys use the profile. */
  remove(name: string): Promise<void>;
}

export interface StoredProfilesOptions {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'loaded' | 'setProfiles'>;
  readonly store: RecordStore<ProfileRecord>;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly log: Log;
}

export function createStoredProfiles({ toolbox, store, keys, log }: StoredProfilesOptions): StoredProfiles {
  /** The names of the profiles that the file defines. */
  let inFile: ReadonlySet<string> = new Set();
  const shadowed = new Set<string>();
  const stored = administer({
    ...{ noun: 'profile', store, file: () => toolbox.loaded.file },
    isInFile: (name) => inFile.has(name),
    apply: (records) =>
      toolbox.setProfiles((config) => {
        inFile = new Set(config.profiles.filter(({ builtIn }) => !builtIn).map(({ name }) => name));
        for (const { name } of records.filter((record) => inFile.has(record.name) && !shadowed.has(record.name))) {
          shadowed.add(name);
          const message = `Profile '${name}' is both stored and in the configuration file: the one in the file is used`;
          log.warning('profiles.shadowed', message, { profile: name });
        }
        return records.map(({ name, ...profile }) => buildProfile(name, profile, config));
      }),
  });

  const exists = (name: string) => toolbox.config.profiles.some((profile) => profile.name === name);

  return {
    reload: stored.reload,
    find: stored.find,
    add: (name, profile) =>
      stored.change(() => {
        if (exists(name)) throw nameTaken('profile', name);
        assertPatterns(profile);
        return stored.add({ ...profile, name });
      }),
    update: (name, profile, revision) =>
      stored.change(() => {
        const isBuiltIn = revision === undefined && exists(name) && !inFile.has(name) && !stored.find(name);
        const before = isBuiltIn ? undefined : stored.mustFind(name, revision);
        assertPatterns(profile);
        return before ? stored.replace(before, { ...profile, name }) : stored.add({ ...profile, name });
      }),
    remove: (name) =>
      stored.change(async () => {
        const record = stored.mustFind(name);
        const users = (await keys.list()).filter((key) => key.profile === name && key.revokedAt === undefined);
        if (users.length > 0 && name !== 'default') throw inUseError(name, users);
        await stored.remove(record);
      }),
  };
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
