import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { ConfigSource } from '../../config/config-source.ts';
import { dataDirectory } from '../../config/data-directory.ts';
import { openConfig } from '../../config/open-config.ts';
import { createLoopbackCallback } from '../../connections/authentication/loopback-callback.ts';
import type { OAuthStore } from '../../connections/authentication/oauth-store.ts';
import type { LogEntry } from '../../kernel/log.ts';
import { openScripts } from '../../scale/code/open-scripts.ts';
import { type InternalToolbox, type InternalToolboxOptions, startToolbox, type ToolboxEvents } from '../../toolbox.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine } from '../terminal/format.ts';
import { createTerminalLog, isAtLeast } from '../terminal/terminal-log.ts';
import { type KnownServer, warnUnavailable } from './known-server.ts';
import { reportLocal } from './select-gateway.ts';

export interface OpenOptions
  extends Pick<
    InternalToolboxOptions,
    'approver' | 'host' | 'rules' | 'pins' | 'overrides' | 'journal' | 'limits' | 'tolerant'
  > {
  /** The configuration to use instead of the one of the command line, and how to name it on stderr. */
  readonly source?: ConfigSource;
  readonly sourceName?: string;
  /** Stores OAuth tokens; by default they last as long as the toolbox. */
  readonly signIns?: OAuthStore;
  /** Validates the configuration before any server is connected; throws to stop. */
  readonly validate?: (config: Config) => void;
  /** The command calls tools: remembered approvals apply, and at a terminal the person is prompted. */
  readonly forCalls?: boolean;
  /** Whether the command reports a log entry itself, so that it is not logged. */
  readonly suppressLog?: (entry: LogEntry) => boolean;
  /** Waits for each server until it is connected or has failed, instead of ten seconds. */
  readonly waitForServers?: boolean;
}

export interface OpenedToolbox extends AsyncDisposable {
  readonly toolbox: InternalToolbox;
  readonly config: Config;
  /** The configuration file; undefined for the default servers. */
  readonly file?: string;
  readonly servers: readonly KnownServer[];
  /** Every warning and error of the startup, whether logged or not. */
  readonly warnings: readonly LogEntry[];
  /** Lists unavailable servers on stderr, or the given one, except those that the log has reported. */
  reportUnavailable(only?: string): void;
}

/** Starts a toolbox with the configuration of the command line and shows the progress on a terminal. */
export async function openToolbox(context: CommandContext, options: OpenOptions = {}): Promise<OpenedToolbox> {
  const { terminal, signal, env, cwd } = context;
  const { logLevel } = context.options;
  const { suppressLog = () => false, validate, signIns, sourceName, waitForServers = false } = options;
  const { approver, host, rules, pins, overrides, journal, limits, tolerant } = options;
  const loaded = await openConfig(options.source ?? context.options.config, { env, cwd });
  const { config, file } = loaded;
  const source = sourceName ?? file ?? `the default servers (${describeDefaults(env)})`;
  reportLocal(source, context);
  validate?.(config);

  const warnings: LogEntry[] = [];
  const reported = new Set<string>();
  const log = createTerminalLog(terminal, logLevel, (entry) => {
    if (isAtLeast(entry.level, 'warning')) warnings.push(entry);
    if (unavailableEvents.has(entry.event) && isAtLeast('warning', logLevel)) reported.add(String(entry.fields.server));
    return suppressLog(entry);
  });
  for (const warning of loaded.warnings) log.warning('config.warning', warning);
  const progress = createStartProgress(context, config);
  // The time limit of a server covers its connection attempt; stopping its process takes a moment more.
  const longestMs = Math.max(...config.servers.map(({ timeoutMs }) => timeoutMs), 0) + 15_000;
  const toolbox = await startToolbox(loaded, {
    ...{ approver, host, rules, pins, overrides, journal, limits, tolerant },
    scripts: { open: (used) => openScripts(used) },
    startWaitMs: waitForServers ? longestMs : undefined,
    env,
    log,
    signal,
    listeners: { 'server.changed': progress.update },
    oauth: { store: signIns, callback: terminal.canAsk ? createSignIn(context) : undefined },
  }).finally(progress.end);

  const servers = toolbox.servers.list().map((info) => {
    return { ...info, usableTools: toolbox.tools.filter((tool) => tool.server === info.name).length };
  });
  return {
    toolbox,
    config,
    file,
    servers,
    warnings,
    reportUnavailable(only) {
      const unreported = servers.filter(({ name }) => !reported.has(name));
      warnUnavailable(unreported, terminal, only);
    },
    async [Symbol.asyncDispose]() {
      terminal.status('Closing …');
      await toolbox.close();
      terminal.status();
    },
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

/** Shows `Connecting to 3 of 5 servers …` until the end. */
function createStartProgress({ terminal }: CommandContext, { servers }: Config) {
  const pending = new Set(servers.filter((spec) => spec.enabled).map((spec) => spec.name));
  const total = pending.size;
  function show(): void {
    const names = [...pending].join(', ');
    const isNamed = pending.size < total && pending.size <= 3;
    if (total === 1) terminal.status(`Connecting to ${names} …`);
    else terminal.status(`Connected ${total - pending.size} of ${total} …${isNamed ? ` (waiting for ${names})` : ''}`);
  }
  if (total > 0) show();
  return {
    update({ server, status }: ToolboxEvents['server.changed']): void {
      if (status.state === 'connecting' || !pending.delete(server)) return;
      if (pending.size > 0) show();
      else terminal.status();
    },
    end: () => terminal.status(),
  };
}
