import { hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { dataDirectory } from '../../../config/data-directory.ts';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { createApiRoutes } from '../../../gateway/api/create-routes.ts';
import { adminTokenFile, openAdminToken } from '../../../gateway/auth/admin-token.ts';
import { createAuthenticate } from '../../../gateway/auth/authenticate.ts';
import { type Gateway, openGateway } from '../../../gateway/gateway.ts';
import { webDirectory } from '../../../gateway/web/serve-web.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { removeGatewayFile, writeGatewayFile } from '../../backend/gateway-file.ts';
import { openStore, toStoreLocation } from '../../backend/open-store.ts';
import { describeDefaults } from '../../backend/open-toolbox.ts';
import { stdioProgram } from '../../backend/stdio-program.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes, UnavailableError } from '../../errors.ts';
import { programName } from '../../program-name.ts';
import { enforceRetention } from './enforce-retention.ts';
import type { GatewayReporter } from './gateway-reporter.ts';
import { limitHeapGrowth } from './limit-heap-growth.ts';
import { releaseMemory } from './release-memory.ts';
import { watchIdle } from './watch-idle.ts';

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
      createRoutes: createApiRoutes,
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
  using _heap = hasOwnProcess ? limitHeapGrowth() : undefined;
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

/** A port or address that cannot be used is not a configuration error. */
function toStartError(cause: unknown): unknown {
  const inner = cause instanceof ToolwharfError ? cause.cause : undefined;
  const isNetworkError = inner instanceof Error && 'syscall' in inner;
  return isNetworkError ? new UnavailableError((cause as ToolwharfError).message) : cause;
}
