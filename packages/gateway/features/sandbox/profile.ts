import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxPreset } from '../../../contract/settings/choices.ts';
import type { SandboxConfig } from '../../../contract/settings/sandbox-schema.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';

/** What the program of a server may touch. Paths are absolute, or begin with `~/`. */
export interface SandboxProfile {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: readonly string[];
}

export const emptyProfile: SandboxProfile = { read: [], write: [], network: [] };

/** The profile of a configuration, with its preset. `cwd` is the working directory of the program. */
export function toProfile({ preset = 'none', read = [], write = [], network = [] }: SandboxConfig, cwd: string) {
  return mergeProfiles({ read, write, network }, presets[preset](cwd));
}

const presets: Readonly<Record<SandboxPreset, (cwd: string) => SandboxProfile>> = {
  none: () => emptyProfile,
  offline: (cwd) => ({ read: ['/'], write: [cwd], network: [] }),
  'files-here': (cwd) => ({ ...emptyProfile, write: [cwd] }),
  web: () => ({ ...emptyProfile, network: ['*'] }),
};

/** Everything that one of the profiles allows, each entry once. */
export function mergeProfiles(...profiles: readonly SandboxProfile[]): SandboxProfile {
  const merge = (key: keyof SandboxProfile) => [...new Set(profiles.flatMap((profile) => profile[key]))].sort();
  return { read: merge('read'), write: merge('write'), network: merge('network') };
}

/** The home directory of the user of Toolwharf. */
export function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

/** A path of a profile without `~`. */
export function expandPath(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
