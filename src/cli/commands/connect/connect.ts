import { resolve } from 'node:path';
import type { GatewayConfig } from '../../../config/config.ts';
import { dataDirectory } from '../../../config/data-directory.ts';
import { findConfigFile } from '../../../config/load-config.ts';
import { openConfig } from '../../../config/open-config.ts';
import { isLoopback } from '../../../gateway/auth/loopback.ts';
import {
  type ClientId,
  type ClientSetup,
  type ConnectScope,
  clientEntryName,
  clientIds,
  endpointPath,
  type McpClient,
  mcpClients,
  stdioSetup,
} from '../../../gateway/clients/mcp-clients.ts';
import { findGateway } from '../../backend/gateway-file.ts';
import { stdioProgram } from '../../backend/stdio-program.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { UnavailableError } from '../../unavailable-error.ts';
import { UsageError } from '../../usage-error.ts';
import { JsonEditError, setInJson } from './edit-json.ts';
import { lineDifference } from './line-difference.ts';
import { readIfThere, replaceFile } from './replace-file.ts';

export interface ConnectOptions {
  readonly scope: ConnectScope;
  readonly profile: string;
  readonly stdio?: boolean;
  readonly dryRun?: boolean;
  readonly file?: string;
}

/** `toolwharf connect`: writes Toolwharf into an MCP client's configuration, and leaves the rest of it alone. */
export async function connect(name: string, options: ConnectOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const client = clientOf(name);
  const file = options.file === undefined ? fileOf(client, options.scope, context) : resolve(options.file);
  const way = await setupFor(client, options, context);
  const before = await readIfThere(file);
  const after = edited(file, before, [client.key, clientEntryName(options.profile)], client.entry(way));
  const goal = way.kind === 'http' ? way.url : 'the command `toolwharf stdio`';
  if (after === before) {
    terminal.print(`${client.title} has ${goal} already: ${file}`);
  } else if (options.dryRun) {
    terminal.print([`--- ${file}`, `+++ ${file}`, ...lineDifference(before, after)].join('\n'));
  } else {
    const backup = await replaceFile(file, after);
    terminal.print(`${client.title} now has ${goal}: ${file}`);
    if (backup !== undefined) terminal.note(`What was there before is in ${backup}`);
    terminal.note(`Next: ${client.next}`);
  }
  return exitCodes.ok;
}

function clientOf(name: string): McpClient {
  const id = clientIds.find((candidate): candidate is ClientId => candidate === name);
  if (id === undefined) throw new UsageError(`There is no client '${name}'; there are: ${clientIds.join(', ')}`);
  return mcpClients[id];
}

function fileOf(client: McpClient, scope: ConnectScope, { env }: CommandContext): string {
  const file = client.file(scope, { env, platform: process.platform, cwd: process.cwd() });
  if (file === undefined) throw new UsageError(`${client.title} has no file for a project: leave out --scope`);
  return file;
}

async function setupFor(client: McpClient, options: ConnectOptions, context: CommandContext): Promise<ClientSetup> {
  const { terminal, env } = context;
  const source = context.options.config ?? (await findConfigFile(process.cwd()));
  const { config, file } = await openConfig(source, { env });
  if (!config.profiles.some((profile) => profile.name === options.profile)) {
    const names = config.profiles.map((profile) => profile.name).join(', ');
    throw new UsageError(`There is no profile '${options.profile}'; there are: ${names}`);
  }
  if (options.stdio || !client.takesUrl) {
    if (!options.stdio) terminal.note(`${client.title} only starts programs, so it gets the command.`);
    return stdioSetup(stdioProgram(context.options, file), options.profile);
  }
  const url = await gatewayUrl(config.gateway, context);
  if (config.gateway.requireAuthentication || !isLoopback(config.gateway.host)) {
    const header = '"headers": { "Authorization": "Bearer KEY" }';
    terminal.note(`The gateway asks for a key: \`toolwharf keys create\` makes one; add ${header} to the entry.`);
  }
  return { kind: 'http', url: `${url}${endpointPath(options.profile)}` };
}

/** The running gateway's address, or the one it will have. */
async function gatewayUrl({ host, port }: GatewayConfig, { terminal, env }: CommandContext): Promise<string> {
  const running = await findGateway(dataDirectory(env));
  if (running) return running.url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//127.0.0.1');
  if (port === 0) {
    throw new UnavailableError('The gateway takes any free port, and none is running: start it with `toolwharf serve`');
  }
  terminal.note('No gateway is running: start one with `toolwharf serve`.');
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function edited(file: string, text: string, path: readonly [string, string], entry: object): string {
  try {
    return setInJson(text, path, entry);
  } catch (cause) {
    if (!(cause instanceof JsonEditError)) throw cause;
    throw new UsageError(`'${file}' is not JSON that can be edited, and was left alone: ${cause.message}`);
  }
}
