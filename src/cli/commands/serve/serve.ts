import { hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { dataDirectory } from '../../../config/data-directory.ts';
import { openConfig } from '../../../config/open-config.ts';
import { createApiRoutes } from '../../../gateway/api/create-routes.ts';
import { adminTokenFile, openAdminToken } from '../../../gateway/auth/admin-token.ts';
import { createAuthenticate } from '../../../gateway/auth/authenticate.ts';
import { type Gateway, openGateway } from '../../../gateway/gateway.ts';
import { webDirectory } from '../../../gateway/web/serve-web.ts';
import { messageOf, ToolwharfError } from '../../../kernel/errors.ts';
import { findGateway, removeGatewayFile, writeGatewayFile } from '../../backend/gateway-file.ts';
import { openStore, toStoreLocation } from '../../backend/open-store.ts';
import { describeDefaults } from '../../backend/open-toolbox.ts';
import { stdioProgram } from '../../backend/stdio-program.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodeOf, exitCodes, UnavailableError, UsageError } from '../../errors.ts';
import { enforceRetention } from './enforce-retention.ts';
import { createGatewayReporter, type GatewayReporter, type LogFormat } from './gateway-reporter.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { releaseMemory } from './release-memory.ts';
import { watchIdle } from './watch-idle.ts';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly logFormat: LogFormat;
  readonly exitWhenIdle?: boolean;
}

/** `toolwharf serve`: runs the gateway until it is stopped. Its URL is the only line on stdout. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<number> {
  const reporter = createGatewayReporter(context, options.logFormat);
  try {
    return await serveUntilStopped(options, context, reporter);
  } catch (cause) {
    if (options.logFormat === 'text' || context.signal.aborted) throw cause;
    const code = cause instanceof ToolwharfError ? cause.code : undefined;
    reporter.error('gateway.failed-to-start', messageOf(cause), { code });
    return exitCodeOf(cause);
  }
}

async function serveUntilStopped(
  options: ServeOptions,
  context: CommandContext,
  reporter: GatewayReporter,
): Promise<number> {
  const { terminal, env, signal } = context;
  const port = parsePort(options.port);
  const dataDir = dataDirectory(env);
  const loaded = await openConfig(context.options.config, { env });
  const { config, file } = loaded;
  await requireNoGateway(dataDir);
  context.onInterrupt(() =>
    reporter.info('gateway.stopping', 'Stopping after running calls finish. Send a second signal to exit immediately.'),
  );
  if (file === undefined) reporter.info('config.default', `Using the default servers; ${describeDefaults(env)}`);
  const { storage, masterKey } = await openStore({
    ...toStoreLocation(dataDir, options, config.gateway, env),
    env,
    log: reporter.log,
  });
  let gateway: Gateway;
  let adminToken: string;
  try {
    adminToken = await openAdminToken(dataDir);
    gateway = await openGateway(loaded, {
      env,
      storage,
      log: reporter.log,
      sessionKey: Buffer.from(hkdfSync('sha256', masterKey, '', 'toolwharf sessions', 32)),
      adminToken,
      adminTokenFile: adminTokenFile(resolve(dataDir)),
      stdioProgram: stdioProgram(context.options, file),
      host: options.host,
      port,
      watch: true,
      signal,
      web: webDirectory,
      createAuthenticate,
      createRoutes: createApiRoutes,
    });
  } catch (cause) {
    await storage.close();
    throw toStartError(cause);
  }
  const retention = enforceRetention({
    audit: storage.audit,
    settings: () => gateway.toolbox.config.gateway.retention,
    log: reporter.log,
  });
  using _heap = limitHeapGrowth();
  using _memory = releaseMemory({ toolbox: gateway.toolbox });
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

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError('--port must be a whole number from 0 to 65535');
}

async function requireNoGateway(dataDir: string): Promise<void> {
  const running = await findGateway(dataDir);
  if (!running) return;
  throw new UnavailableError(
    `A gateway already runs for ${dataDir} at ${running.url} (process ${running.pid}). Choose another --data-dir`,
  );
}

/** A port or address that cannot be used is not a configuration error. */
function toStartError(cause: unknown): unknown {
  const inner = cause instanceof ToolwharfError ? cause.cause : undefined;
  const isNetworkError = inner instanceof Error && 'syscall' in inner;
  return isNetworkError ? new UnavailableError((cause as ToolwharfError).message) : cause;
}
