import { ToolwharfError } from '../../../contract/errors.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { ConnectionStatus } from '../../../toolwharf/connections/status.ts';
import { createVisibility, type IsListed, type Visibility } from '../../../toolwharf/policy/visible-tools.ts';
import { hasRight, type Identity, seesAll } from './identity.ts';

/** The servers, tools, resources, prompts and skills a caller may see and use; everything else is reported as not found. */
export interface Scope extends Visibility {
  /** Its approval settings apply to the caller's calls. */
  readonly profile: ProfileConfig;
}

/** The scope of a caller: everything with `profiles.use-all`, otherwise their profile (`default` if they have none). */
export function scopeOf(identity: Identity, profiles: readonly ProfileConfig[], isListed?: IsListed): Scope {
  const name = identity.profile ?? 'default';
  const profile = profiles.find((candidate) => candidate.name === name);
  if (!profile)
    throw new ToolwharfError('FORBIDDEN', `Your profile '${name}' no longer exists: ask an administrator for access`);
  if (seesAll(identity)) return { profile, ...everything };
  const known = scopes.get(profile);
  if (known) return known;
  const scope = { profile, ...createVisibility(profile, isListed) };
  scopes.set(profile, scope);
  return scope;
}

const all = () => true;
const everything: Visibility = { hasServer: all, hasTool: all, hasResource: all, hasPrompt: all, hasSkill: all };

const scopes = new WeakMap<ProfileConfig, Scope>();

/** A connection status without the fields for administrators: process ids, and sign-in URLs that could be hijacked. */
export function toVisibleStatus(status: ConnectionStatus, identity: Identity): ConnectionStatus {
  return hasRight(identity, 'servers.write') ? status : { ...status, pid: undefined, signInUrl: undefined };
}
