import { createMatcher } from '../catalog/match-globs.ts';
import type { ProfileConfig } from '../config/config.ts';

/** The servers and tools that a profile shows. Hidden ones cannot be used in any way. */
export interface Visibility {
  hasServer(server: string): boolean;
  /** By the tool's original name. */
  hasTool(tool: { readonly server?: string; readonly originalName: string; readonly changed?: string }): boolean;
}

/** Decides what a profile shows. Pure. */
export function createVisibility(profile: Pick<ProfileConfig, 'servers' | 'allow' | 'deny'>): Visibility {
  const hasServer = profile.servers ? createMatcher(profile.servers) : () => true;
  const allows = profile.allow ? createMatcher(profile.allow) : () => true;
  const denies = profile.deny ? createMatcher(profile.deny) : () => false;
  return {
    hasServer,
    hasTool({ server, originalName, changed }) {
      const path = `${server ?? 'local'}/${originalName}`;
      const isServed = server === undefined || hasServer(server);
      return isServed && changed !== 'quarantine' && allows(path) && !denies(path);
    },
  };
}
