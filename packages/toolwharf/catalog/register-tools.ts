import { ToolwharfError } from '../../contract/errors.ts';
import { createMatcher } from '../../contract/match-globs.ts';
import type { Dialect } from '../../contract/settings/choices.ts';
import type { ServerSpec, ToolConfig, ToolLimits } from '../../contract/settings/config.ts';
import { limitsOf } from '../../contract/settings/defaults.ts';
import { describeLocation } from '../../contract/settings/server-url.ts';
import type { LogLevel } from '../kernel/log.ts';
import { createSlice } from '../kernel/slices.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

/** An offered tool that is registered. */
export interface RegisteredTool {
  readonly definition: ToolDefinition;
  readonly limits: ToolLimits;
  /** Whether the configuration names the tool. */
  readonly source: 'explicit' | 'default';
}

/** A log line that a registration calls for. */
export interface RegistrationLog {
  readonly level: LogLevel;
  readonly event: string;
  readonly message: string;
}

/** The outcome of registering one server's tools. */
export interface Registration {
  readonly registered: readonly RegisteredTool[];
  /** Offered by a strict server, but not configured. They stop the start with a `strictViolation`; later they are left out. */
  readonly missing: readonly string[];
  /** Registered before and no longer offered. */
  readonly gone: readonly string[];
  readonly logs: readonly RegistrationLog[];
  /** The names that were offered: `previous.seen` of the next registration. */
  readonly seen: ReadonlySet<string>;
}

/** The configuration of single tools. */
export interface ToolSettings {
  readonly configs: readonly ToolConfig[];
  /** The toolbox's own default limits, for tools whose own mode is strict. */
  readonly defaultTool: ToolLimits;
  /** New tools of servers that are known wait for a person; false. */
  readonly reviewsNewTools?: boolean;
}

/**
 * Decides which of a server's tools are registered and with which limits. Tools that `allow` and `deny` exclude are
 * treated as not offered. `previous` is set if the server was listed before; then only differences are logged.
 */
export async function registerTools(
  server: ServerSpec,
  offered: readonly ToolDefinition[],
  { configs, defaultTool }: ToolSettings,
  previous?: { readonly seen: ReadonlySet<string> },
): Promise<Registration> {
  const registered: RegisteredTool[] = [];
  const missing: string[] = [];
  const logs: RegistrationLog[] = [];
  const log = (level: LogLevel, event: string, message: string) => void logs.push({ level, event, message });
  const isOffered = createOfferFilter(server);
  const findConfig = createConfigLookup(server.name, configs);
  const name = quote(server.name);

  if (offered.length === 0)
    log('warning', 'catalog.no-tools', `MCP server ${name} at ${describeLocation(server)} returned no tools`);

  const slice = createSlice();
  for (const definition of withoutDuplicates(offered)) {
    if (slice.isOver()) await slice.next();
    if (!isOffered(definition.name)) continue;
    const tool = quote(definition.name);
    const isNew = !previous?.seen.has(definition.name);
    const config = findConfig(definition.name);
    if (config) {
      const defaults = defaultsFor(config, server, defaultTool);
      const limits = { ...defaults, ...limitsOf(config) };
      registered.push({ definition, limits, source: 'explicit' });
      if (isNew) {
        const final = JSON.stringify(limits);
        log('debug', 'catalog.tool-explicit', `Tool ${tool} registered with explicit configuration: ${final}`);
        if ((config.mode ?? server.mode) === 'dynamic')
          log('debug', 'catalog.tool-merged', mergeMessage(tool, config, defaults, final));
      }
    } else if (server.mode === 'dynamic') {
      registered.push({ definition, limits: server.defaultTool, source: 'default' });
      if (isNew && previous)
        log(
          'info',
          'catalog.tool-discovered',
          `New tool ${tool} discovered from MCP server ${name}, registering with default configuration`,
        );
      else if (isNew)
        log(
          'info',
          'catalog.tool-default',
          `Tool ${tool} from MCP ${name} not explicitly configured, using default configuration`,
        );
    } else {
      missing.push(definition.name);
      if (isNew && previous)
        log(
          'warning',
          'catalog.tool-refused',
          `New tool ${tool} discovered from MCP server ${name} is not configured in the toolbox, not registering it (mode is strict)`,
        );
    }
  }

  const seen = new Set(offered.map((definition) => definition.name));
  const wasRegistered = (tool: string) =>
    isOffered(tool) && (server.mode === 'dynamic' || findConfig(tool) !== undefined);
  const gone = [...(previous?.seen ?? [])].filter((tool) => !seen.has(tool) && wasRegistered(tool));
  for (const tool of gone) log('warning', 'catalog.tool-gone', goneMessage(tool, server.name));
  return { registered, missing, gone, logs, seen };
}

/** A configured tool that no server offers. */
export interface GoneTool {
  readonly tool: string;
  /** Undefined if the tool could be one of several servers, or a local one. */
  readonly server?: string;
  readonly message: string;
}

/** The tools that a server offers at the start. */
export interface OfferedTools {
  readonly server: string;
  /** Undefined while the server has not answered. */
  readonly offered?: readonly string[];
}

/**
 * Finds configured tools that nobody offers, at the start and after a reload. A configuration that names a server is compared with that
 * server's list. One that names none is compared with all servers and local tools, and only if all servers have answered. A tool
 * that only one of the `removed` servers offered is gone in any case.
 */
export function findGone(
  toolConfigs: readonly ToolConfig[],
  servers: readonly OfferedTools[],
  localTools: readonly string[] = [],
  removed: readonly OfferedTools[] = [],
): GoneTool[] {
  const offers = new Map(servers.map(({ server, offered }) => [server, offered && new Set(offered)]));
  const local = new Set(localTools);
  const isUnsure = servers.some(({ offered }) => offered === undefined);
  const toGone = (tool: string, server: string) => ({ tool, server, message: goneMessage(tool, server) });
  return toolConfigs.flatMap((config) => {
    const { name, server } = config;
    if (server !== undefined) {
      const offered = offers.get(server);
      const isRemoved = removed.some((former) => former.server === server);
      return isRemoved || (offered && !offered.has(name)) ? [toGone(name, server)] : [];
    }
    if (local.has(name) || [...offers.values()].some((offered) => offered?.has(name))) return [];
    const former = removed.find(({ offered }) => offered?.includes(name));
    if (former) return [toGone(name, former.server)];
    if (isUnsure) return [];
    const [first, ...others] = offers.keys();
    if (first !== undefined && others.length === 0) return [toGone(name, first)];
    // The tool may have belonged to any server or been local, so the message names no server.
    return [
      { tool: name, message: `Tool ${quote(name)} is configured, but no MCP server and no local tool has this name` },
    ];
  });
}

/** The error that stops the start if a strict server offers tools that are not configured. It names all of them. */
export function strictViolation(
  server: Pick<ServerSpec, 'name'>,
  missing: readonly string[],
  configuredNames: readonly string[],
  dialect: Dialect = 'myai',
): ToolwharfError {
  const several = missing.length > 1;
  const list = missing.map(visible).join(', ');
  const message = `${several ? 'Tools' : 'Tool'} ${missing.map(quote).join(', ')} from MCP server ${quote(server.name)} ${several ? 'are' : 'is'} not configured in the toolbox.

MCP Server: ${visible(server.name)}
Mode: strict
Missing ${several ? 'Tools' : 'Tool'}: ${list}

Configured tools: [${configuredNames.map(visible).join(', ')}]

To resolve:
1. Add the ${several ? 'tools' : 'tool'} to ${dialect === 'myai' ? 'myai.toolbox.tools' : 'toolbox.tools'} in your configuration, OR
2. Change the MCP server mode to 'dynamic'${dialect === 'myai' ? ' and provide default_tool_config' : ''}`;
  return new ToolwharfError('TOOL_NOT_CONFIGURED', message, {
    data: { server: server.name, missing, configured: configuredNames },
  });
}

/** One error for the violations of several servers. */
export function joinViolations(errors: readonly ToolwharfError[]): ToolwharfError {
  const [first] = errors;
  if (first && errors.length === 1) return first;
  return new ToolwharfError('TOOL_NOT_CONFIGURED', errors.map((error) => error.message).join('\n\n'), { cause: first });
}

/** A strict tool does not take the server's `defaultToolConfig`, which is for tools that are not configured. */
function defaultsFor(config: ToolConfig, server: ServerSpec, toolboxDefault: ToolLimits): ToolLimits {
  if (config.mode !== 'strict') return server.defaultTool;
  return { ...toolboxDefault, timeoutMs: server.timeoutMs };
}

function mergeMessage(tool: string, config: ToolConfig, defaults: ToolLimits, final: string): string {
  const explicit = JSON.stringify(limitsOf(config));
  return `Tool ${tool} configuration merged: explicit=${explicit}, default=${JSON.stringify(defaults)}, final=${final}`;
}

/** A configuration for this server overrides one for any server, field by field. */
function createConfigLookup(
  server: string,
  toolConfigs: readonly ToolConfig[],
): (tool: string) => ToolConfig | undefined {
  const byName = new Map<string, ToolConfig>();
  const general = toolConfigs.filter((config) => config.server === undefined);
  const own = toolConfigs.filter((config) => config.server === server);
  for (const config of [...general, ...own]) {
    const given = Object.entries(config).filter(([, value]) => value !== undefined);
    byName.set(config.name, { ...byName.get(config.name), ...(Object.fromEntries(given) as unknown as ToolConfig) });
  }
  return (tool) => byName.get(tool);
}

function createOfferFilter({ allow, deny = [] }: ServerSpec): (tool: string) => boolean {
  const isAllowed = allow === undefined ? () => true : createMatcher(allow);
  const isDenied = createMatcher(deny);
  return (tool) => isAllowed(tool) && !isDenied(tool);
}

function withoutDuplicates(offered: readonly ToolDefinition[]): Iterable<ToolDefinition> {
  return new Map(offered.map((definition) => [definition.name, definition])).values();
}

function goneMessage(tool: string, server: string): string {
  return `Tool ${quote(tool)} was configured but is no longer available from MCP server ${quote(server)}`;
}

function quote(name: string): string {
  return `'${visible(name)}'`;
}

/** The name with its control characters escaped: a server chooses its tools' names, and must not forge log lines. */
function visible(name: string): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return short.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
