import { createMatcher } from '../../contract/match-globs.ts';
import type { ProfileConfig } from '../../contract/settings/config.ts';
import { createSureMatcher } from './comparable-text.ts';

/** The servers, tools, resources, prompts and skills that a profile shows. Hidden ones cannot be used in any way. */
export interface Visibility {
  hasServer(server: string): boolean;
  /** By the tool's original name. */
  hasTool(tool: {
    readonly server?: string;
    readonly originalName: string;
    readonly changed?: string;
    readonly isNew?: boolean;
  }): boolean;
  hasResource(server: string, uri: string): boolean;
  /** By the prompt's original name. */
  hasPrompt(server: string, name: string): boolean;
  /** By the path of the skill's folder; without a server for skills of local folders. */
  hasSkill(server: string | undefined, path: string): boolean;
}

/** Whether plugins show a tool in a profile. */
export type IsListed = (
  tool: { readonly server?: string; readonly originalName: string },
  profile: string | undefined,
) => boolean;

/** The longest URI that is compared with the patterns of a profile. */
const maxUriLength = 8_192;

/** The filter of a profile, and of the plugins for it. */
export function createVisibility(
  profile: Pick<ProfileConfig, 'servers' | 'allow' | 'deny' | 'resources' | 'prompts' | 'skills'> &
    Partial<Pick<ProfileConfig, 'name' | 'newTools' | 'only'>>,
  isListed: IsListed = () => true,
): Visibility {
  const { only } = profile;
  const matchesServer = profile.servers ? createMatcher(profile.servers) : () => true;
  const hasServer = (server: string) => (only === undefined || server === only) && matchesServer(server);
  // Tools and skills of no server belong to no endpoint of one server.
  const isServedBy = (server: string | undefined) => (server === undefined ? only === undefined : hasServer(server));
  const allows = profile.allow ? createMatcher(profile.allow) : () => true;
  const denies = profile.deny ? createMatcher(profile.deny) : () => false;
  const matchesUri = profile.resources && createSureMatcher(profile.resources);
  const matchesSkill = profile.skills ? createMatcher(profile.skills) : () => true;
  const matchesPrompt = profile.prompts ? createMatcher(profile.prompts) : () => true;
  return {
    hasServer,
    hasTool(tool) {
      const { server, originalName, changed } = tool;
      const path = `${server ?? 'local'}/${originalName}`;
      const isServed = isServedBy(server);
      if (isWaiting(tool, profile)) return false;
      return isServed && changed !== 'quarantine' && allows(path) && !denies(path) && isListed(tool, profile.name);
    },
    hasResource(server, uri) {
      if (!hasServer(server)) return false;
      if (!matchesUri) return true;
      return uri.length <= maxUriLength && matchesUri(uri);
    },
    hasPrompt: (server, name) => hasServer(server) && matchesPrompt(`${server}/${name}`),
    hasSkill: (server, path) => isServedBy(server) && matchesSkill(`${server ?? 'local'}/${path}`),
  };
}

/** Whether a tool waits for a person before it can be used with these settings. */
export function isWaiting(
  { isNew }: { readonly isNew?: boolean },
  { newTools }: Partial<Pick<ProfileConfig, 'newTools'>>,
): boolean {
  return isNew === true && newTools === 'hide';
}

/** The reads that a caller with this visibility may make. */
export function createMayRead({
  hasResource,
  hasPrompt,
  hasSkill,
}: Pick<Visibility, 'hasResource' | 'hasPrompt' | 'hasSkill'>) {
  return ({
    kind,
    server,
    name,
  }: {
    readonly kind: string;
    readonly server: string | undefined;
    readonly name: string;
  }): boolean => {
    if (kind === 'skill') return hasSkill(server, name);
    if (server === undefined) return false;
    return kind === 'resource' ? hasResource(server, name) : hasPrompt(server, name);
  };
}
