import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { dataDirectory } from '../../config/data-directory.ts';
import { findConfigFile } from '../../config/load-config.ts';
import { openConfig } from '../../config/open-config.ts';
import type { OAuthStore } from '../../connections/authentication/oauth-store.ts';
import type { LogEntry } from '../../kernel/log.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import { startToolbox, type Toolbox, type ToolboxEvents, type ToolboxOptions } from '../../toolbox.ts';
import type { CommandContext } from '../command.ts';
import { count, oneLine } from '../terminal/layout.ts';
import { createTerminalLog, isAtLeast } from '../terminal/terminal-log.ts';
import { createTerminalSignIn } from '../terminal/terminal-sign-in.ts';

export interface OpenOptions
  extends Pick<ToolboxOptions, 'approver' | 'host' | 'rules' | 'pins' | 'journal' | 'tolerant'> {
  /** Where sign-ins are kept; only for as long as the toolbox is open otherwise. */
  readonly signIns?: OAuthStore;
  /** Throws what makes it pointless to connect at all. */
  readonly expect?: (config: Config) => void;
  /** Whether the command tells a log entry in its own words. */
  readonly tells?: (entry: LogEntry) => boolean;
}

/** A server as configured, how it is doing, and how many of its tools can be called. */
export interface KnownServer extends ServerInfo {
  readonly usableTools: number;
}

export interface OpenedToolbox extends AsyncDisposable {
  readonly toolbox: Toolbox;
  /** As configured, also where `keepStarting` was wished. */
  readonly config: Config;
  readonly file?: string;
  readonly servers: readonly KnownServer[];
  /** Every warning and error of the start, shown or not. */
  readonly warnings: readonly LogEntry[];
  /** Says on stderr which servers have no tools to show, and why; those the log has named already are left out. */
  tellUnavailable(): void;
}

/** Opens the toolbox of the command line's configuration, showing a person how far it is. */
export async function openToolbox(context: CommandContext, options: OpenOptions = {}): Promise<OpenedToolbox> {
  const { terminal, signal } = context;
  const { tells = () => false, expect, signIns, ...ports } = options;
  const file = context.options.config ?? (await findConfigFile(process.cwd()));
  if (file === undefined) terminal.note(terminal.noteColors.dim(defaultsNote(context.env)));
  const loaded = await openConfig(file, { env: context.env });
  const { config } = loaded;
  expect?.(config);

  const warnings: LogEntry[] = [];
  const told = new Set<string>();
  const progress = createStartProgress(context, config);
  const log = createTerminalLog(terminal, context.options.logLevel, (entry) => {
    const server = String(entry.fields.server);
    if (isAtLeast(entry.level, 'warning')) warnings.push(entry);
    if (awayEvents.has(entry.event) && isAtLeast('warning', context.options.logLevel)) told.add(server);
    return tells(entry);
  });
  for (const warning of loaded.warnings) log.warning('config.warning', warning);
  const toolbox = await startToolbox(loaded, {
    ...ports,
    env: context.env,
    log,
    signal,
    listeners: { 'server.changed': progress.note },
    oauth: {
      ...(signIns && { store: signIns }),
      ...(terminal.canAsk && { callback: createTerminalSignIn(terminal) }),
    },
  }).finally(progress.end);

  const servers = toolbox.servers().map((info) => {
    return { ...info, usableTools: toolbox.tools.filter((tool) => tool.server === info.name).length };
  });
  return {
    toolbox,
    config,
    ...(file !== undefined && { file: resolve(file) }),
    servers,
    warnings,
    tellUnavailable() {
      for (const { name, status } of servers.filter(isUnavailable)) {
        if (told.has(name)) continue;
        terminal.note(`${terminal.noteColors.yellow('not available:')} ${oneLine(name)}: ${whyUnavailable(status)}`);
      }
    },
    async [Symbol.asyncDispose]() {
      terminal.status('closing …');
      await toolbox.close();
      terminal.status();
    },
  };
}

const awayEvents = new Set(['server.skipped', 'connection.list-failed']);

/** Whether a server that should be there is not. */
export function isUnavailable({ enabled, status, offers }: ServerInfo): boolean {
  return enabled && (offers.tools === undefined || (status.state !== 'connected' && status.state !== 'degraded'));
}

/** `3 of 14 (stale)`: the tools that can be called, and of how many; undefined while that is unknown. */
export function toolCount({ usableTools, offers: { tools } }: KnownServer): string | undefined {
  if (!tools) return undefined;
  const some = usableTools === tools.count ? String(tools.count) : `${usableTools} of ${tools.count}`;
  return tools.stale ? `${some} (stale)` : some;
}

/** Why, in one line. */
export function whyUnavailable({ state, reason }: ServerInfo['status']): string {
  if (reason !== undefined) return oneLine(reason);
  return state === 'connecting' ? 'it has not answered yet' : `it is ${state}`;
}

/** What there is without a file, and what the rest of it would need. */
export function defaultsNote(env: CommandContext['env']): string {
  const missing = [
    ...(env.GITHUB_TOKEN || env.GITHUB_PERSONAL_ACCESS_TOKEN ? [] : ['github needs GITHUB_TOKEN']),
    ...(env.BRAVE_API_KEY ? [] : ['brave needs BRAVE_API_KEY']),
  ];
  const files = resolve(dataDirectory(env), 'files');
  const rest = missing.length > 0 ? `; ${missing.join(', ')}` : '';
  return `No toolwharf.yaml here, using the default servers: filesystem in ${files}${rest}`;
}

/** `connecting 3 of 5 …` */
function createStartProgress({ terminal }: CommandContext, { servers }: Config) {
  const waiting = new Set(servers.filter((spec) => spec.enabled).map((spec) => spec.name));
  const total = waiting.size;
  const show = () => {
    const which =
      total - waiting.size < total && waiting.size <= 3 && total > 1 ? ` (waiting for ${[...waiting].join(', ')})` : '';
    terminal.status(
      total === 1
        ? `connecting to ${[...waiting][0] ?? count(1, 'server')} …`
        : `connecting ${total - waiting.size} of ${total} …${which}`,
    );
  };
  if (total > 0) show();
  return {
    note({ server, status }: ToolboxEvents['server.changed']): void {
      if (status.state === 'connecting' || !waiting.delete(server)) return;
      if (waiting.size > 0) show();
      else terminal.status();
    },
    end: () => terminal.status(),
  };
}
