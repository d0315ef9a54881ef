import { createMatcher } from '../../catalog/match-globs.ts';
import type { ProfileConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Identity } from './identity.ts';

/** What someone may see and use. What is outside it is not there for them. */
export interface Scope {
  /** Whose approval settings their calls are made under. */
  readonly profile: ProfileConfig;
  hasServer(server: string): boolean;
  /** By the server's own name for the tool. */
  hasTool(tool: { readonly server?: string; readonly originalName: string; readonly changed?: string }): boolean;
}

/** An administrator's is everything; everybody else's is their profile, `default` where they have none of their own. */
export function scopeOf(identity: Identity, profiles: readonly ProfileConfig[]): Scope {
  const name = identity.profile ?? 'default';
  const profile = profiles.find((candidate) => candidate.name === name);
  if (!profile) throw new ToolwharfError('FORBIDDEN', `There is no profile '${name}' any more: nothing is open to you`);
  if (identity.isAdmin) return { profile, hasServer: () => true, hasTool: () => true };
  const known = scopes.get(profile);
  if (known) return known;
  const scope = createScope(profile);
  scopes.set(profile, scope);
  return scope;
}

const scopes = new WeakMap<ProfileConfig, Scope>();

function createScope(profile: ProfileConfig): Scope {
  const hasServer = profile.servers ? createMatcher(profile.servers) : () => true;
  const allows = profile.allow ? createMatcher(profile.allow) : () => true;
  const denies = profile.deny ? createMatcher(profile.deny) : () => false;
  return {
    profile,
    hasServer,
    hasTool({ server, originalName, changed }) {
      const path = `${server ?? 'local'}/${originalName}`;
      const isServed = server === undefined || hasServer(server);
      return isServed && changed !== 'quarantine' && allows(path) && !denies(path);
    },
  };
}
