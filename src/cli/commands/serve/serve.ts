import { hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { dataDirectory } from '../../../config/data-directory.ts';
import { findConfigFile } from '../../../config/load-config.ts';
import { openConfig } from '../../../config/open-config.ts';
import { createApiRoutes } from '../../../gateway/api/create-routes.ts';
import { adminTokenFile, openAdminToken } from '../../../gateway/auth/admin-token.ts';
import { createAuthenticate } from '../../../gateway/auth/authenticate.ts';
import { type Gateway, openGateway } from '../../../gateway/gateway.ts';
import { webDirectory } from '../../../gateway/web/serve-web.ts';
import { messageOf, ToolwharfError } from '../../../kernel/errors.ts';
import { findGateway, removeGatewayFile, writeGatewayFile } from '../../backend/gateway-file.ts';
import { openStore, storePlace } from '../../backend/open-store.ts';
import { defaultsNote } from '../../backend/open-toolbox.ts';
import { stdioProgram } from '../../backend/stdio-program.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { exitCodeOf } from '../../report-error.ts';
import { UnavailableError } from '../../unavailable-error.ts';
import { UsageError } from '../../usage-error.ts';
import { createGatewayVoice, type GatewayVoice, type LogFormat } from './gateway-voice.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { keepRetention } from './keep-retention.ts';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly logFormat: LogFormat;
}

/** `toolwharf serve`: the gateway, until it is told to stop. Its address is the one line on stdout. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<number> {
  const voice = createGatewayVoice(context, options.logFormat);
  try {
    return await serveUntilStopped(options, context, voice);
  } catch (cause) {
    if (options.logFormat === 'text' || context.signal.aborted) throw cause;
    const code = cause instanceof ToolwharfError ? { code: cause.code } : {};
    voice.fail('gateway.failed-to-start', messageOf(cause), code);
    return exitCodeOf(cause);
  }
}

async function serveUntilStopped(options: ServeOptions, context: CommandContext, voice: GatewayVoice): Promise<number> {
  const { terminal, env, signal } = context;
  const port = parsePort(options.port);
  const dataDir = dataDirectory(env);
  const file = context.options.config ?? (await findConfigFile(process.cwd()));
  const loaded = await openConfig(file, { env });
  await refuseSecond(dataDir);
  context.onInterrupt(() =>
    voice.say('gateway.stopping', 'Stopping: running calls may finish; a second signal ends at once.'),
  );
  if (file === undefined) voice.say('config.default', defaultsNote(env));
  const { storage, masterKey } = await openStore({
    ...storePlace(dataDir, options, loaded.config.gateway, env),
    env,
    log: voice.log,
  });
  let gateway: Gateway;
  let adminToken: string;
  try {
    adminToken = await openAdminToken(dataDir);
    gateway = await openGateway(loaded, {
      env,
      storage,
      log: voice.log,
      sessionKey: Buffer.from(hkdfSync('sha256', masterKey, '', 'toolwharf sessions', 32)),
      adminToken,
      adminTokenFile: adminTokenFile(resolve(dataDir)),
      stdioProgram: stdioProgram(context.options, file),
      ...(options.host !== undefined && { host: options.host }),
      ...(port !== undefined && { port }),
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
  const keeping = keepRetention({
    audit: storage.audit,
    settings: () => gateway.toolbox.config.gateway.retention,
    log: voice.log,
  });
  using _memory = giveBackMemory({ toolbox: gateway.toolbox });
  try {
    await writeGatewayFile(dataDir, { url: gateway.url, pid: process.pid });
    terminal.print(gateway.url);
    voice.introduce(gateway, { dataDir, file, adminToken, isTerminal: process.stderr.isTTY === true });
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await removeGatewayFile(dataDir, process.pid);
    await keeping[Symbol.asyncDispose]();
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

async function refuseSecond(dataDir: string): Promise<void> {
  const running = await findGateway(dataDir);
  if (!running) return;
  const place = `${running.url} (process ${running.pid})`;
  throw new UnavailableError(
    `A gateway is running for ${dataDir} already: ${place}. Another one needs another --data-dir`,
  );
}

/** An address that can't be listened on is no mistake in the configuration. */
function toStartError(cause: unknown): unknown {
  const inner = cause instanceof ToolwharfError ? cause.cause : undefined;
  const isOfNetwork = inner instanceof Error && 'syscall' in inner;
  return isOfNetwork ? new UnavailableError((cause as ToolwharfError).message) : cause;
}
