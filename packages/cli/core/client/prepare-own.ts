import { resolve } from 'node:path';
import type { Config } from '../../../contract/settings/config.ts';
import type { ConfigSource } from '../../../toolwharf/config/config-source.ts';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import type { LoadedConfig } from '../../../toolwharf/config/load-config.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { problemLine } from '../../../toolwharf/config/problems.ts';
import { createLoopbackCallback } from '../../../toolwharf/connections/authentication/loopback-callback.ts';
import { maxConnectMs } from '../../../toolwharf/connections/stdio/package-runner.ts';
import type { Log, LogEntry } from '../../../toolwharf/kernel/log.ts';
import type { InternalToolbox, InternalToolboxOptions } from '../../../toolwharf/toolbox-types.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine } from '../terminal/format.ts';
import { createTerminalLog, isAtLeast } from '../terminal/terminal-log.ts';
import type { ConfigSummary } from './opened-tools.ts';
import { reportLocal } from './select-gateway.ts';
import { waitForServers } from './wait-for-servers.ts';

export interface OpenOptions {
  /** The configuration to use instead of the one of the command line, and how to name it on stderr. */
  readonly source?: ConfigSource;
  readonly sourceName?: (config: Config) => string;
  /** Validates the configuration before any server is connected; throws to stop. */
  readonly validate?: (config: Config) => void;
  /** The command calls tools: remembered approvals apply, and at a terminal the person is prompted. */
  readonly forCalls?: boolean;
  /** Whether the command reports a log entry itself, so that it is not logged. */
  readonly suppressLog?: (entry: LogEntry) => boolean;
  /** The names of the servers that the command needs; all servers if undefined or empty. */
  readonly needs?: (servers: Config['servers']) => readonly string[];
  /** Starts although required servers are unreachable; false. */
  readonly tolerant?: boolean;
  /** Waits for the servers until they are connected or have failed; true. Otherwise ten seconds. */
  readonly waitForServers?: boolean;
  /** Connects the servers; true. */
  readonly connects?: boolean;
}

/** What a gateway or a toolbox in this process starts with. */
export interface OwnStart extends Disposable {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly toolbox: Pick<InternalToolboxOptions, 'tolerant' | 'startWaitMs' | 'stopWaiting' | 'listeners' | 'oauth'>;
  /** Every warning and error of the startup, whether logged or not. */
  readonly warnings: readonly LogEntry[];
  /** The servers that the log has reported as unavailable. */
  readonly reported: ReadonlySet<string>;
  summarize(toolbox: Pick<InternalToolbox, 'plugins'>): ConfigSummary;
}

/** Loads the configuration of the command line, and shows on a terminal which servers are waited for until it is disposed. */
export async function prepareOwn(context: CommandContext, options: OpenOptions): Promise<OwnStart> {
  const { terminal, env, cwd } = context;
  const { logLevel } = context.options;
  const { suppressLog = () => false, tolerant } = options;
  const loaded = await openConfig(options.source ?? context.options.config, { env, cwd });
  const { config, file } = loaded;
  reportLocal(options.sourceName?.(config) ?? file ?? `the default servers (${describeDefaults(env)})`, context);
  options.validate?.(config);

  const warnings: LogEntry[] = [];
  const reported = new Set<string>();
  const log = createTerminalLog(terminal, logLevel, (entry) => {
    // The summary lists them.
    if (entry.event === 'config.variable-missing') return true;
    if (isAtLeast(entry.level, 'warning')) warnings.push(entry);
    if (unavailableEvents.has(entry.event) && isAtLeast('warning', logLevel)) reported.add(String(entry.fields.server));
    return suppressLog(entry);
  });
  for (const warning of loaded.warnings) log.warning('config.warning', warning);
  for (const note of loaded.notes ?? []) log.info('config.ignored', note);
  const wait = waitForServers(context, options.connects === false ? [] : config.servers, options);
  // The time limit of a server covers its connection attempt; stopping its process takes a moment more.
  const longestMs = Math.max(...config.servers.map(maxConnectMs), 0) + 15_000;
  return {
    ...{ loaded, log, warnings, reported },
    toolbox: {
      tolerant,
      startWaitMs: (options.waitForServers ?? true) ? longestMs : undefined,
      stopWaiting: wait.signal,
      listeners: { 'server.changed': wait.update },
      oauth: { callback: terminal.canAsk ? createSignIn(context) : undefined },
    },
    summarize: (toolbox) => ({
      file,
      dialect: config.dialect,
      plugins: toolbox.plugins(),
      warnings: loaded.unset?.map(({ problem }) => problemLine(problem)) ?? [],
    }),
    [Symbol.dispose]: () => wait[Symbol.dispose](),
  };
}

const unavailableEvents = new Set(['server.skipped', 'connection.list-failed']);

/** The default servers and which of them need a token. */
export function describeDefaults(env: CommandContext['env']): string {
  const missing = [
    !(env.GITHUB_TOKEN || env.GITHUB_PERSONAL_ACCESS_TOKEN) && 'github needs GITHUB_TOKEN',
    !env.BRAVE_API_KEY && 'brave needs BRAVE_API_KEY',
  ].filter(Boolean);
  const files = resolve(dataDirectory(env), 'files');
  const rest = missing.length > 0 ? `; ${missing.join(', ')}` : '';
  return `no toolwharf.yaml in this directory: filesystem in ${files}${rest}`;
}

/** Shows the sign-in URL without opening it; the browser returns to this machine. */
function createSignIn({ terminal }: CommandContext) {
  return createLoopbackCallback({
    open: (url, server) => terminal.note(`Sign in to server '${oneLine(server)}' at:\n  ${oneLine(url.href)}`),
  });
}
