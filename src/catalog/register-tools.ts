import type { Dialect, ServerSpec, ToolConfig, ToolLimits, ToolMode } from '../config/config.ts';
import { placeOf } from '../config/place-of.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { LogLevel } from '../kernel/log.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { createMatcher } from './match-globs.ts';

export interface RegisteredTool {
  readonly definition: ToolDefinition;
  readonly limits: ToolLimits;
  /** Whether the configuration names the tool. */
  readonly source: 'explicit' | 'default';
}

export interface RegistrationLog {
  readonly level: LogLevel;
  readonly event: string;
  readonly message: string;
}

export interface Registration {
  readonly registered: readonly RegisteredTool[];
  /** Offered, but strict mode does not know them. At the start that is a `strictViolation`; later they are left out. */
  readonly missing: readonly string[];
  /** Registered before and no longer offered. */
  readonly gone: readonly string[];
  readonly logs: readonly RegistrationLog[];
  /** What to give as `previous.seen` the next time this server is listed. */
  readonly seen: ReadonlySet<string>;
}

/**
 * Which of a server's tools are registered, and with which limits. Pure. Denied tools, and those not on an allow list, are as if they were
 * not offered. `previous` is set when the server was listed before: then only news is logged.
 */
export function registerTools(
  server: ServerSpec,
  offered: readonly ToolDefinition[],
  toolConfigs: readonly ToolConfig[],
  previous?: { readonly seen: ReadonlySet<string> },
): Registration {
  const registered: RegisteredTool[] = [];
  const missing: string[] = [];
  const logs: RegistrationLog[] = [];
  const log = (level: LogLevel, event: string, message: string) => void logs.push({ level, event, message });
  const isOpen = openTools(server);
  const configOf = findConfigs(server.name, toolConfigs);
  const name = quote(server.name);

  if (offered.length === 0)
    log('warning', 'catalog.no-tools', `MCP server ${name} at ${placeOf(server)} returned no tools`);

  for (const definition of withoutDuplicates(offered)) {
    if (!isOpen(definition.name)) continue;
    const tool = quote(definition.name);
    const isNews = !previous?.seen.has(definition.name);
    const config = configOf(definition.name);
    if (config) {
      const limits = mergeLimits(config, server);
      registered.push({ definition, limits, source: 'explicit' });
      if (isNews) logExplicit(tool, config, limits, server, log);
    } else if (server.mode === 'dynamic') {
      registered.push({ definition, limits: server.defaultTool, source: 'default' });
      if (isNews && previous)
        log(
          'info',
          'catalog.tool-discovered',
          `New tool ${tool} discovered from MCP server ${name}, registering with default configuration`,
        );
      else if (isNews)
        log(
          'info',
          'catalog.tool-default',
          `Tool ${tool} from MCP ${name} not explicitly configured, using default configuration`,
        );
    } else {
      missing.push(definition.name);
      if (isNews && previous)
        log(
          'warning',
          'catalog.tool-refused',
          `New tool ${tool} discovered from MCP server ${name} is not configured in the toolbox, not registering it (mode is strict)`,
        );
    }
  }

  const seen = new Set(offered.map((definition) => definition.name));
  const wasRegistered = (tool: string) => isOpen(tool) && (server.mode === 'dynamic' || configOf(tool) !== undefined);
  const gone = [...(previous?.seen ?? [])].filter((tool) => !seen.has(tool) && wasRegistered(tool));
  for (const tool of gone) log('warning', 'catalog.tool-gone', goneMessage(tool, server.name));
  return { registered, missing, gone, logs, seen };
}

/** A configured tool that nobody offers, told for one server. */
export interface GoneTool {
  readonly tool: string;
  readonly server: string;
  readonly message: string;
}

export interface OfferedTools {
  readonly server: string;
  /** Undefined while the server has not answered. */
  readonly offered?: readonly string[];
}

/**
 * Configured tools that are not there, judged once at the start when all servers are known. A tool configured for one server
 * is judged by that server's list. One that names no server is gone only if no server and no local tool has it, and is then
 * told for each server that answered; while any server has not answered nothing can be said about it.
 */
export function findGone(
  toolConfigs: readonly ToolConfig[],
  servers: readonly OfferedTools[],
  localTools: readonly string[] = [],
): GoneTool[] {
  const offers = new Map(servers.map(({ server, offered }) => [server, offered && new Set(offered)]));
  const local = new Set(localTools);
  const isUnsure = servers.some(({ offered }) => offered === undefined);
  const toGone = (tool: string, server: string) => ({ tool, server, message: goneMessage(tool, server) });
  return toolConfigs.flatMap((config) => {
    const { name, server } = config;
    if (server !== undefined) {
      const offered = offers.get(server);
      return offered && !offered.has(name) ? [toGone(name, server)] : [];
    }
    if (isUnsure || local.has(name) || [...offers.values()].some((offered) => offered?.has(name))) return [];
    return [...offers.keys()].map((known) => toGone(name, known));
  });
}

/** What stops the start when a strict server offers tools the configuration does not name; all of them at once. */
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

function logExplicit(
  tool: string,
  config: ToolConfig,
  limits: ToolLimits,
  server: ServerSpec,
  log: (level: LogLevel, event: string, message: string) => void,
): void {
  const details = JSON.stringify(limits);
  log('debug', 'catalog.tool-explicit', `Tool ${tool} registered with explicit configuration: ${details}`);
  if (modeOf(config, server) === 'strict') return;
  const explicit = JSON.stringify({ maxInstances: config.maxInstances, timeoutMs: config.timeoutMs });
  const fallback = JSON.stringify(server.defaultTool);
  log(
    'debug',
    'catalog.tool-merged',
    `Tool ${tool} configuration merged: explicit=${explicit}, default=${fallback}, final=${details}`,
  );
}

function modeOf(config: ToolConfig, server: ServerSpec): ToolMode {
  return config.mode ?? server.mode;
}

/** Explicit over default. A tool that is strict on a dynamic server does not take what that server gives to unknown tools. */
function mergeLimits(config: ToolConfig, server: ServerSpec): ToolLimits {
  return {
    maxInstances: config.maxInstances ?? server.defaultTool.maxInstances,
    timeoutMs: config.timeoutMs ?? server.defaultTool.timeoutMs,
  };
}

/** A configuration for this server fills in over one for any server, field by field. */
function findConfigs(server: string, toolConfigs: readonly ToolConfig[]): (tool: string) => ToolConfig | undefined {
  const byName = new Map<string, ToolConfig>();
  const general = toolConfigs.filter((config) => config.server === undefined);
  const own = toolConfigs.filter((config) => config.server === server);
  for (const config of [...general, ...own]) {
    const given = Object.entries(config).filter(([, value]) => value !== undefined);
    byName.set(config.name, { ...byName.get(config.name), ...(Object.fromEntries(given) as unknown as ToolConfig) });
  }
  return (tool) => byName.get(tool);
}

function openTools({ allow, deny = [] }: ServerSpec): (tool: string) => boolean {
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

/** A server picks its tools' names: none of them can break or hide a line of the log. */
function visible(name: string): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return short.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
