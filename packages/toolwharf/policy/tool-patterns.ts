import { createMatcher, type Glob, parseGlobs } from '../../contract/match-globs.ts';
import type { Naming } from '../../contract/settings/choices.ts';
import type { NamingScope } from '../catalog/catalog.ts';
import { joinedNames, joinedNamings, type Nameable, namePrefix, nameTool } from '../catalog/name-tools.ts';
import { toolIdOf } from '../kernel/tool-id.ts';

/** A tool with its exposed name. */
export interface PatternTarget extends Nameable {
  readonly name: string;
}

/**
 * Whether patterns that restrict (`deny`, `ask`) name a tool: by any exposed name, any joined name or `server/tool`.
 * If a name could mean two tools, both are restricted.
 */
export function restricts(patterns: readonly string[], tool: PatternTarget): boolean {
  if (patterns.length === 0) return false;
  const matches = matcherOf(patterns);
  if (matches(tool.name)) return true;
  if (tool.server === undefined) return false;
  return (
    matches(`${tool.server}/${tool.originalName}`) ||
    joinedNames(toolIdOf(tool)).some(matches) ||
    joinedNamings.some((naming) => matches(nameTool(tool, naming)) || matches(ownName(tool, naming)))
  );
}

/**
 * Whether patterns that trust name a tool. A pattern that names a server applies to that server only, whatever the names of
 * other servers and tools are. If it could mean several servers, it applies to the one that was configured first.
 */
export function trusts(patterns: readonly string[], tool: PatternTarget, scope: NamingScope): boolean {
  return patterns.length > 0 && readTrust(patterns, scope).some((pattern) => pattern.covers(tool));
}

/** Problems of patterns that trust: patterns that could mean several servers, and patterns that match nothing. */
export function explainTrust(patterns: readonly string[], scope: NamingScope): readonly string[] {
  return readTrust(patterns, scope).flatMap(({ warning }) => warning ?? []);
}

interface TrustPattern {
  readonly warning?: string;
  covers(tool: PatternTarget): boolean;
}

function readTrust(patterns: readonly string[], scope: NamingScope): readonly TrustPattern[] {
  const known = trustPatterns.get(patterns);
  if (known?.scope === scope) return known.read;
  const read = patterns.flatMap((pattern) => parseGlobs(pattern).map((glob) => readPattern(pattern, glob, scope)));
  trustPatterns.set(patterns, { scope, read });
  return read;
}

/** One alternative of a pattern, bound to the server it names; to none where it begins with a wildcard. */
function readPattern(pattern: string, glob: Glob, scope: NamingScope): TrustPattern {
  if (glob.isLiteral && scope.localTools.has(glob.prefix))
    return { covers: ({ server, originalName }) => server === undefined && originalName === glob.prefix };
  const paths = scope.servers.filter((server) => glob.prefix.startsWith(`${server}/`));
  if (paths.length > 0)
    return {
      warning: warnAmbiguous(pattern, paths),
      covers: ({ server, originalName }) => server === paths[0] && glob.matches(`${server}/${originalName}`),
    };
  const named = scope.servers.filter((server) =>
    joinedNamings.some((naming) => glob.prefix.startsWith(namePrefix(server, naming))),
  );
  if (named.length > 0) {
    // An exposed name has one owner and stays with it, so a literal is not ambiguous to begin with.
    const servers = glob.isLiteral ? named : named.slice(0, 1);
    return {
      warning: warnAmbiguous(pattern, named),
      covers: (tool) =>
        tool.server !== undefined &&
        servers.includes(tool.server) &&
        joinedNamings.some((naming) => glob.matches(ownName(tool, naming))),
    };
  }
  if (scope.naming === 'plain' && glob.prefix !== '' && !glob.prefix.includes('/'))
    return {
      warning: warnAmbiguous(pattern, scope.servers),
      covers: ({ server, originalName }) =>
        (server === undefined || server === scope.servers[0]) && glob.matches(originalName),
    };
  if (glob.isLiteral) return { warning: warnUnknown(pattern, glob), covers: () => false };
  return {
    covers: (tool) => {
      const isPath = glob.text.includes('/');
      if (tool.server === undefined) return !isPath && glob.matches(tool.originalName);
      if (isPath) return glob.matches(`${tool.server}/${tool.originalName}`);
      return [scope.naming, ...joinedNamings].some((naming) => glob.matches(ownName(tool, naming)));
    },
  };
}

/** The exposed name without the name that an administrator gave the tool: trust does not follow a new name. */
function ownName(tool: PatternTarget, naming: Naming): string {
  return nameTool({ ...tool, alias: undefined }, naming);
}

function warnAmbiguous(pattern: string, servers: readonly string[]): string | undefined {
  if (servers.length < 2) return undefined;
  const list = servers.map((server) => `'${server}'`).join(' and ');
  return `The trusted tool pattern '${pattern}' could mean tools of the servers ${list}. It does not follow a name from one server to another: write server/tool instead, such as '${servers[0]}/…'`;
}

/** A server of the pattern may be added later; a tool's own name without a server never matches. */
function warnUnknown(pattern: string, { text }: Glob): string | undefined {
  if (text.includes('/') || text.includes('__') || text.startsWith('mcp_')) return undefined;
  return `The trusted tool pattern '${pattern}' matches no tool, as it names no server: write it as server/tool`;
}

// Configurations live long and are never changed in place: each list is compiled once.
const matchers = new WeakMap<readonly string[], (name: string) => boolean>();
const trustPatterns = new WeakMap<
  readonly string[],
  { readonly scope: NamingScope; readonly read: readonly TrustPattern[] }
>();

function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const known = matchers.get(patterns);
  if (known) return known;
  const matcher = createMatcher(patterns);
  matchers.set(patterns, matcher);
  return matcher;
}
