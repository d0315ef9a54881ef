import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import { openConfig } from '../../../../toolwharf/config/open-config.ts';
import { launchServersAhead } from '../../../../toolwharf/connections/stdio/server-process.ts';
import { findGateway } from '../../client/gateway-file.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodeOf, UnavailableError, UsageError } from '../../errors.ts';
import { createGatewayReporter, type GatewayReporter, type LogFormat } from './gateway-reporter.ts';

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
    return await launchAndRun(options, context, reporter);
  } catch (cause) {
    if (options.logFormat === 'text' || context.signal.aborted) throw cause;
    const code = cause instanceof ToolwharfError ? cause.code : undefined;
    reporter.error('gateway.failed-to-start', messageOf(cause), { code });
    return exitCodeOf(cause);
  }
}

/** Starts the servers' programs as soon as they are known: they start while the gateway's own code is loaded. */
async function launchAndRun(
  options: ServeOptions,
  context: CommandContext,
  reporter: GatewayReporter,
): Promise<number> {
  const { env, cwd } = context;
  const port = parsePort(options.port);
  const loaded = await openConfig(context.options.config, { env, cwd });
  await requireNoGateway(dataDirectory(env));
  context.onInterrupt(() =>
    reporter.info('gateway.stopping', 'Stopping after running calls finish. Send a second signal to exit immediately.'),
  );
  await using programs = launchServersAhead(loaded.config, env);
  const { runGateway } = await import('./run-gateway.ts');
  return await runGateway({ ...options, port, loaded, reporter, programs }, context);
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
