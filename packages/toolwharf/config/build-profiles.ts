import type { ApprovalConfig, Config, ProfileConfig, ToolboxConfig } from '../../contract/settings/config.ts';
import { exposeDefaults, profileNaming } from '../../contract/settings/defaults.ts';
import type { CheckedProfile, CheckedProfiles } from '../../contract/settings/native-schema.ts';
import { closest } from '../kernel/closest.ts';
import type { CheckContext } from './check-context.ts';

export interface ProfileSurroundings {
  readonly toolbox: ToolboxConfig;
  /** The names of the configured servers. */
  readonly servers: readonly string[];
}

/** Builds the profiles. `default` comes first and always exists. Warns about unknown server names. */
export function buildProfiles(
  profiles: CheckedProfiles,
  { toolbox, servers }: ProfileSurroundings,
  context: CheckContext,
): readonly ProfileConfig[] {
  const named = new Map([['default', {} as CheckedProfile], ...Object.entries(profiles)]);
  return [...named].map(([name, profile]) => {
    warnOfUnknown(name, profile, servers, context);
    const built = buildProfile(name, profile, { toolbox, dialect: context.dialect });
    return Object.hasOwn(profiles, name) ? built : { ...built, builtIn: true };
  });
}

/** Applies the settings of the toolbox to a checked profile. */
export function buildProfile(
  name: string,
  profile: CheckedProfile,
  { toolbox, dialect }: Pick<Config, 'toolbox' | 'dialect'>,
): ProfileConfig {
  return {
    name,
    description: profile.description,
    servers: profile.servers,
    allow: profile.allow,
    deny: profile.deny,
    resources: profile.resources,
    prompts: profile.prompts,
    skills: profile.skills,
    // The myai dialect keeps its own tool names. Other dialects omit the `mcp` prefix, because MCP clients add a prefix.
    naming: profile.naming ?? (dialect === 'myai' ? toolbox.naming : profileNaming),
    expose: profile.expose ?? exposeDefaults.expose,
    exposeBudget: profile.exposeBudget ?? exposeDefaults.exposeBudget,
    alwaysList: profile.alwaysList,
    newTools: profile.newTools ?? toolbox.newTools,
    maxInlineResultBytes: profile.maxInlineResultBytes,
    approval: mergeApproval(toolbox.approval, profile.approval),
  };
}

function mergeApproval(toolbox: ApprovalConfig, { expires, ...own }: CheckedProfile['approval'] = {}): ApprovalConfig {
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...toolbox, ...Object.fromEntries(set), ...(expires !== undefined && { expiresMs: expires }) };
}

function warnOfUnknown(
  profile: string,
  { servers = [], allow = [], deny = [], alwaysList = [] }: CheckedProfile,
  known: readonly string[],
  context: CheckContext,
): void {
  const hint = (name: string) => {
    const meant = closest(name, known);
    return meant ? `; did you mean '${meant}'?` : '';
  };
  for (const name of servers.filter((pattern) => isPlain(pattern) && !known.includes(pattern))) {
    context.warn(`Profile '${profile}' names server '${name}', which this file does not have${hint(name)}`);
  }
  for (const pattern of [...allow, ...deny, ...alwaysList]) {
    const [server = '', ...tool] = pattern.split('/');
    if (!isPlain(server) || server === 'local' || known.includes(server)) continue;
    const wrong =
      tool.length === 0
        ? 'which matches nothing: write server/tool'
        : `but this file has no server '${server}'${hint(server)}`;
    context.warn(`Profile '${profile}' names '${pattern}', ${wrong}`);
  }
}

/** Returns true for a pattern without wildcards. */
function isPlain(pattern: string): boolean {
  return !/[*?[{\\]/.test(pattern);
}
