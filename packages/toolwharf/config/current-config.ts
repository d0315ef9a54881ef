import { isDeepStrictEqual } from 'node:util';
import type { Config, ProfileConfig } from '../../contract/settings/config.ts';
import type { LoadedConfig } from './load-config.ts';

/** The configuration in use. It changes with its file, and its profiles also with the store. */
export interface CurrentConfig {
  readonly loaded: LoadedConfig;
  readonly config: Config;
  /** The configuration with the stored profiles. */
  readonly shown: Config;
  /** Throws if the stored profiles cannot be built under this configuration. */
  check(loaded: LoadedConfig): void;
  /** Returns the names of the profiles that changed, which the caller announces. Throws before anything has changed. */
  set(loaded: LoadedConfig): readonly string[];
  /** Sets the function that builds the stored profiles under a configuration. */
  setProfiles(build: (config: Config) => readonly ProfileConfig[]): void;
}

export function createCurrentConfig(
  configured: LoadedConfig,
  onProfiles: (changed: readonly string[]) => void,
): CurrentConfig {
  let loaded = configured;
  let shown = loaded.config;
  let buildStored: (config: Config) => readonly ProfileConfig[] = () => [];

  function set(next: LoadedConfig): readonly string[] {
    const { config } = next;
    const { profiles, changed } = mergeProfiles(shown.profiles, config.profiles, buildStored(config));
    loaded = next;
    shown = { ...config, profiles };
    return changed;
  }

  return {
    get loaded() {
      return loaded;
    },
    get config() {
      return loaded.config;
    },
    get shown() {
      return shown;
    },
    check(next) {
      try {
        buildStored(next.config);
      } finally {
        // The builder remembers the configuration that it was called with last.
        buildStored(loaded.config);
      }
    },
    set,
    setProfiles(build) {
      buildStored = build;
      const changed = set(loaded);
      if (changed.length > 0) onProfiles(changed);
    },
  };
}

/**
 * Adds stored profiles to those of the file. The file wins over a stored profile of the same name, a stored `default` wins
 * over the built-in one. Profiles that did not change keep their object, which caches use as a key. `changed` names the
 * profiles that were added, changed or removed.
 */
function mergeProfiles(
  before: readonly ProfileConfig[],
  file: readonly ProfileConfig[],
  stored: readonly ProfileConfig[],
): { readonly profiles: readonly ProfileConfig[]; readonly changed: readonly string[] } {
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
