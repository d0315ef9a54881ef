import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import type { CommandContext } from '../command-context.ts';
import { UnavailableError, UsageError } from '../errors.ts';
import { oneLine } from '../terminal/format.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { findGateway, isSameFile } from './gateway-file.ts';

/** The gateway that a command uses. */
export interface SelectedGateway {
  readonly url: string;
  /** The API key of the environment. */
  readonly token?: string;
  /** The admin token, for the gateway of the data directory. */
  readonly adminToken?: string;
}

type SelectContext = Pick<CommandContext, 'env' | 'options' | 'terminal'>;

/**
 * Selects the gateway that a command uses and reports it on stderr: the one of `--url`, else the one that runs for the data
 * directory. Undefined with `--local`, if none runs, or if `--config` names another file than the gateway's.
 */
export async function selectAccess({ env, options, terminal }: SelectContext): Promise<SelectedGateway | undefined> {
  const { local, config } = options;
  const given = options.url ?? (env.TOOLWHARF_URL || undefined);
  if (local && options.url !== undefined) throw new UsageError('Use either --url or --local');
  if (local) return undefined;
  const report = (url: string) => terminal.note(terminal.noteColors.dim(`Using the gateway at ${oneLine(url)}`));
  const running = await findGateway(dataDirectory(env));
  if (given !== undefined) {
    const url = parseUrl(given);
    report(url);
    const adminToken = running?.url === url ? running.adminToken : undefined;
    return { url, token: env.TOOLWHARF_API_KEY || undefined, adminToken };
  }
  if (!running) return undefined;
  if (config !== undefined && !(running.config && (await isSameFile(config, running.config)))) return undefined;
  report(running.url);
  return { url: running.url, adminToken: running.adminToken };
}

/** A client for the selected gateway; undefined if none is used. */
export async function selectGateway(
  context: SelectContext & Pick<CommandContext, 'signal'>,
): Promise<GatewayClient | undefined> {
  const selected = await selectAccess(context);
  if (!selected) return undefined;
  const { url, token, adminToken } = selected;
  return createGatewayClient({ url, token: token ?? adminToken, adminToken, signal: context.signal });
}

/** Reports on stderr that a command uses a configuration or data in this process. */
export function reportLocal(source: string, { terminal }: Pick<CommandContext, 'terminal'>): void {
  terminal.note(terminal.noteColors.dim(`Using ${oneLine(source)} without a gateway`));
}

/** Selects the gateway that a command uses; throws if there is none. */
export async function requireGateway(context: CommandContext): Promise<GatewayClient> {
  if (context.options.local) throw new UsageError('This command needs the gateway: omit --local');
  const gateway = await selectRunning(context);
  if (gateway) return gateway;
  throw noGateway(context);
}

/** Selects the running gateway, whatever its configuration; undefined if none runs. */
export function selectRunning(context: CommandContext): Promise<GatewayClient | undefined> {
  return selectGateway({ ...context, options: { ...context.options, config: undefined } });
}

export function noGateway({ env }: Pick<CommandContext, 'env'>): UnavailableError {
  return new UnavailableError(`No gateway is running for ${dataDirectory(env)}: start one with \`toolwharf serve\``);
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--url must be a URL such as http://127.0.0.1:7420`);
  return url.href.replace(/\/+$/, '');
}
