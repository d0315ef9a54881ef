import type { ProfileConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { createVisibility, type Visibility } from '../../policy/visible-tools.ts';
import type { Identity } from './identity.ts';

/** What someone may see and use. What is outside it is not there for them. */
export interface Scope extends Visibility {
  /** Whose approval settings their calls are made under. */
  readonly profile: ProfileConfig;
}

/** An administrator's is everything; everybody else's is their profile, `default` where they have none of their own. */
export function scopeOf(identity: Identity, profiles: readonly ProfileConfig[]): Scope {
  const name = identity.profile ?? 'default';
  const profile = profiles.find((candidate) => candidate.name === name);
  if (!profile) throw new ToolwharfError('FORBIDDEN', `There is no profile '${name}' any more: nothing is open to you`);
  if (identity.isAdmin) return { profile, hasServer: () => true, hasTool: () => true };
  const known = scopes.get(profile);
  if (known) return known;
  const scope = { profile, ...createVisibility(profile) };
  scopes.set(profile, scope);
  return scope;
}

const scopes = new WeakMap<ProfileConfig, Scope>();
