import { createMatcher } from '../catalog/match-globs.ts';
import type { ProfileConfig } from '../config/config.ts';

/** What a profile lets its callers see. What can't be seen can't be used, by whatever way. */
export interface Visibility {
  hasServer(server: string): boolean;
  /** By the server's own name for the tool. */
  hasTool(tool: { readonly server?: string; readonly originalName: string; readonly changed?: string }): boolean;
}

/** Pure: the one place that decides who sees what. */
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
