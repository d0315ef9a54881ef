import { isDeepStrictEqual } from 'node:util';
import type { ProfileConfig } from './config.ts';

/** The profiles in use, and the names of those that were added, changed or removed. */
export interface MergedProfiles {
  readonly profiles: readonly ProfileConfig[];
  readonly changed: readonly string[];
}

/**
 * Adds stored profiles to those of the file. The file wins over a stored profile of the same name, a stored `default` wins
 * over the built-in one. Profiles that did not change keep their object, which caches use as a key.
 */
export function mergeProfiles(
  before: readonly ProfileConfig[],
  file: readonly ProfileConfig[],
  stored: readonly ProfileConfig[],
): MergedProfiles {
  const known = new Map(before.map((profile) => [profile.name, profile]));
  const merged = new Map(file.map((profile) => [profile.name, profile]));
  for (const profile of stored) {
    const other = merged.get(profile.name);
    if (!other || other.builtIn) merged.set(profile.name, profile);
  }
  const profiles = [...merged.values()].map((profile) => {
    const earlier = known.get(profile.name);
    return earlier && isDeepStrictEqual(earlier, profile) ? earlier : profile;
  });
  const removed = [...known.keys()].filter((name) => !merged.has(name));
  const changed = profiles.filter((profile) => known.get(profile.name) !== profile).map(({ name }) => name);
  return { profiles, changed: [...changed, ...removed] };
}
