import { hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import type { RetentionConfig } from '../../../../contract/settings/gateway-config.ts';
import { adminTokenFile, openAdminToken } from '../../../../gateway/core/auth/admin-token.ts';
import { createAuthenticate } from '../../../../gateway/core/auth/authenticate.ts';
import { type Gateway, openGateway } from '../../../../gateway/core/gateway.ts';
import { webDirectory } from '../../../../gateway/core/http/web/serve-web.ts';
import { features } from '../../../../gateway/features/index.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import type { LoadedConfig } from '../../../../toolwharf/config/load-config.ts';
import type { Log } from '../../../../toolwharf/kernel/log.ts';
import type { Audit } from '../../../../toolwharf/storage/ports/audit.ts';
import { removeGatewayFile, writeGatewayFile } from '../../client/gateway-file.ts';
import { openStore, toStoreLocation } from '../../client/open-store.ts';
import { describeDefaults } from '../../client/prepare-own.ts';
import { stdioProgram } from '../../client/stdio-program.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes, UnavailableError } from '../../errors.ts';
import { programName } from '../../program-name.ts';
import { count } from '../../terminal/format.ts';
import type { GatewayReporter } from './gateway-reporter.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { releaseMemory } from './release-memory.ts';

export interface RunGatewayOptions {
  readonly host?: string;
  readonly database?: string;
  readonly exitWhenIdle?: boolean;
  readonly port: number | undefined;
  readonly loaded: LoadedConfig;
  readonly reporter: GatewayReporter;
  /** The programs of the configured servers, already starting. */
  readonly programs: AsyncDisposable;
}

/** Runs the gateway until it is stopped; returns the exit code. */
export async function runGateway(options: RunGatewayOptions, context: CommandContext): Promise<number> {
  const { terminal, env, signal, hasOwnProcess } = context;
  // The start alone would let the heap grow beyond the limit.
  using _heap = hasOwnProcess ? limitHeapGrowth() : undefined;
  using _rejections = hasOwnProcess ? surviveRejections(options.reporter.log) : undefined;
  const { port, loaded, reporter } = options;
  const { config, file } = loaded;
  const dataDir = dataDirectory(env);
  if (file === undefined) reporter.info('config.default', `Using the default servers; ${describeDefaults(env)}`);
  const { storage, masterKey } = await openStore({
    ...toStoreLocation(dataDir, options, config.gateway, env),
    env,
    log: reporter.log,
    expectsCalls: true,
  });
  let gateway: Gateway;
  let adminToken: string;
  try {
    adminToken = await openAdminToken(dataDir, storage.fleet && masterKey);
    gateway = await openGateway(loaded, {
      env,
      storage,
      log: reporter.log,
      sessionKey: Buffer.from(hkdfSync('sha256', masterKey, '', 'toolwharf sessions', 32)),
      adminToken,
      adminTokenFile: adminTokenFile(resolve(dataDir)),
      stdioProgram: stdioProgram(context, file),
      // Pasted in any directory.
      command: programName({ program: context.program, env, dataDir: context.options.dataDir && dataDir }),
      host: options.host,
      port,
      watch: true,
      signal,
      web: webDirectory,
      createAuthenticate,
      features,
    });
  } catch (cause) {
    await storage.close();
    throw toStartError(cause);
  }
  await options.programs[Symbol.asyncDispose]();
  const retention = enforceRetention({
    audit: storage.audit,
    settings: () => gateway.toolbox.config.gateway.retention,
    log: reporter.log,
  });
  using _memory = hasOwnProcess ? releaseMemory({ toolbox: gateway.toolbox }) : undefined;
  try {
    await writeGatewayFile(dataDir, { url: gateway.url, pid: process.pid, config: file });
    terminal.print(gateway.url);
    reporter.reportStart(gateway, { dataDir, file, adminToken, isTerminal: process.stderr.isTTY === true });
    using idle = options.exitWhenIdle ? watchIdle(gateway.connections) : undefined;
    const ending = idle ? AbortSignal.any([signal, idle.signal]) : signal;
    if (!ending.aborted) await once(ending, 'abort');
  } finally {
    await removeGatewayFile(dataDir, process.pid);
    await retention[Symbol.asyncDispose]();
    await gateway.close();
    terminal.status();
  }
  return exitCodes.ok;
}

/**
 * Logs promises whose rejection nobody handled, instead of ending the process: one request must not end those of all others. Errors
 * that were thrown outside of promises still end it.
 */
export function surviveRejections(log: Log, source: Pick<NodeJS.Process, 'on' | 'off'> = process): Disposable {
  const onRejection = (cause: unknown) => {
    const stack = cause instanceof Error ? cause.stack : undefined;
    log.error('gateway.unhandled', `An error was not handled; please report it: ${stack ?? messageOf(cause)}`);
  };
  source.on('unhandledRejection', onRejection);
  return { [Symbol.dispose]: () => void source.off('unhandledRejection', onRejection) };
}

/** Aborts when a gateway that was started for one client has had no connection for a while. */
export function watchIdle(
  connections: () => Promise<number>,
  { idleMs = 60_000, pollMs = 5_000 }: { readonly idleMs?: number; readonly pollMs?: number } = {},
): Disposable & { readonly signal: AbortSignal } {
  const idle = new AbortController();
  let lastUsed = performance.now();
  const timer = setInterval(async () => {
    if ((await connections().catch(() => 1)) > 0) lastUsed = performance.now();
    else if (performance.now() - lastUsed >= idleMs) idle.abort();
  }, pollMs);
  return { signal: idle.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Periodically removes calls that exceed the configured age or number. Disposal waits for a run in progress. */
export function enforceRetention(options: RetentionOptions): AsyncDisposable {
  const { audit, settings, log, firstRunMs = 60_000, intervalMs = 3_600_000 } = options;
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, firstRunMs).unref();

  function run(): void {
    running = retain().finally(() => {
      if (!stop.signal.aborted) timer = setTimeout(run, intervalMs).unref();
    });
  }

  async function retain(): Promise<void> {
    try {
      const { maxAgeMs, maxCalls } = settings();
      const { calls, steps } = await audit.retain({ maxAgeMs, maxCalls, signal: stop.signal });
      if (steps > 0)
        log.info('journal.retained', `Removed ${count(calls, 'old call')} from the journal`, { calls, steps });
    } catch (cause) {
      if (stop.signal.aborted) return;
      log.error('journal.retention-failed', `Removing old calls from the journal failed: ${messageOf(cause)}`);
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** A port or address that cannot be used is not a configuration error. */
function toStartError(cause: unknown): unknown {
  const inner = cause instanceof ToolwharfError ? cause.cause : undefined;
  const isNetworkError = inner instanceof Error && 'syscall' in inner;
  return isNetworkError ? new UnavailableError((cause as ToolwharfError).message) : cause;
}

interface RetentionOptions {
  readonly audit: Pick<Audit, 'retain'>;
  /** Returns the current configuration. */
  readonly settings: () => RetentionConfig;
  readonly log: Log;
  /** The delay of the first run; default 60 000. */
  readonly firstRunMs?: number;
  /** The interval of the runs; default one hour. */
  readonly intervalMs?: number;
}
