import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../../../contract/errors.ts';
import type { GatewayConfig } from '../../../../contract/settings/gateway-config.ts';
import { entryText } from '../../../../gateway/core/clients/entry-text.ts';
import {
  type ClientSetup,
  type ConnectScope,
  clientEntryName,
  clientIds,
  endpointPath,
  type McpClient,
  mcpClients,
  stdioSetup,
} from '../../../../gateway/core/clients/mcp-clients.ts';
import { isLoopback } from '../../../../gateway/core/http/guard.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import { openConfig } from '../../../../toolwharf/config/open-config.ts';
import { createGatewayClient } from '../../client/gateway-client.ts';
import { findGateway, toReachableUrl } from '../../client/gateway-file.ts';
import { type SelectedGateway, selectAccess } from '../../client/select-gateway.ts';
import { stdioProgram } from '../../client/stdio-program.ts';
import { writeFileAtomically } from '../../client/write-file.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../../errors.ts';
import { notFound } from '../../find-item.ts';
import { jsonText } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { FileEditError, hasObject, setInJson } from './edit-json.ts';
import { setInToml } from './edit-toml.ts';
import { setInYaml } from './edit-yaml.ts';

export interface ConnectOptions extends JsonOption {
  readonly scope: ConnectScope;
  readonly profile: string;
  readonly stdio?: boolean;
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly managed?: boolean;
  readonly output?: string;
}

/** `toolwharf connect`: adds Toolwharf to the configuration of an MCP client and keeps everything else in the file. */
export async function connect(name: string, options: ConnectOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  if (options.managed) {
    const { writeManaged } = await import('./managed.ts');
    return writeManaged(name, options, context, () => chooseSetup(mcpClients['claude-code'], options, context));
  }
  const client = findClient(name);
  const entryName = clientEntryName(options.profile);
  const file =
    options.file === undefined
      ? await clientFile(client, options.scope, entryName, context)
      : resolve(context.cwd, options.file);
  const setup = await chooseSetup(client, options, context);
  const before = await readText(file);
  const entry = client.entry(setup, entryName);
  const after = edit(file, before, client, entryName, entry);
  const target = setup.kind === 'http' ? setup.url : 'the command `toolwharf stdio`';
  if (options.json) {
    const isChanged = after !== before && !options.dryRun;
    const backup = isChanged ? await replaceFile(file, after) : undefined;
    terminal.print(jsonText({ client: name, file, changed: isChanged, backup, entry }));
  } else if (after === before) {
    terminal.print(`${client.title} already uses ${target}: ${file}`);
  } else if (options.dryRun) {
    terminal.print([`--- ${file}`, `+++ ${file}`, ...lineDifference(before, after)].join('\n'));
  } else {
    const backup = await replaceFile(file, after);
    terminal.print(`${client.title} now uses ${target}: ${file}`);
    if (backup !== undefined) terminal.say(`Backup of the previous file: ${backup}`);
    terminal.say(`Next: ${client.next.replace('NAME', entryName)}`);
  }
  return exitCodes.ok;
}

function findClient(name: string): McpClient {
  const id = clientIds.find((candidate) => candidate === name);
  if (id === undefined) throw notFound('client', name, clientIds);
  return mcpClients[id];
}

/** The client's file that exists, or else the one that it documents first. */
async function clientFile(
  client: McpClient,
  scope: ConnectScope,
  entryName: string,
  { env, cwd }: CommandContext,
): Promise<string> {
  const files = client.files(scope, { env, platform: process.platform, cwd }, entryName);
  const [first] = files;
  if (first === undefined) throw new UsageError(`${client.title} has no project configuration: omit --scope`);
  for (const file of files) if (existsSync(file)) return file;
  return first;
}

async function chooseSetup(client: McpClient, options: ConnectOptions, context: CommandContext): Promise<ClientSetup> {
  const { terminal, env, cwd } = context;
  const gateway = await selectAccess(context);
  const isStdio = options.stdio === true || !client.takesUrl;
  if (isStdio && !options.stdio) terminal.say(`${client.title} does not support URLs, so it starts a command instead.`);
  if (gateway) return gatewaySetup(gateway, { profile: options.profile, isStdio }, context);
  const { config, file } = await openConfig(context.options.config, { env, cwd });
  const profiles = config.profiles.map(({ name }) => name);
  if (!profiles.includes(options.profile)) throw notFound('profile', options.profile, profiles);
  if (isStdio) return stdioSetup(stdioProgram(context, file), options.profile);
  const url = await gatewayUrl(config.gateway, context);
  if (config.gateway.requireAuthentication || !isLoopback(config.gateway.host)) reportKeyNeeded(terminal);
  return { kind: 'http', url: `${url}${endpointPath(options.profile)}` };
}

/** How a client connects to the gateway that the command uses, which may have another configuration than the working directory. */
async function gatewaySetup(
  { url, token, adminToken }: SelectedGateway,
  { profile, isStdio }: { readonly profile: string; readonly isStdio: boolean },
  context: CommandContext,
): Promise<ClientSetup> {
  const { terminal, env, signal } = context;
  const gateway = createGatewayClient({ url, token: token ?? adminToken, adminToken, signal });
  const { profiles } = await gateway.listProfiles();
  const names = profiles.map(({ name }) => name);
  if (!names.includes(profile)) throw notFound('profile', profile, names);
  if (isStdio) {
    const own = await findGateway(dataDirectory(env));
    if (own?.url === url) return stdioSetup(stdioProgram(context, own.config), profile);
    const { command, args } = stdioProgram(context, undefined);
    return stdioSetup({ command, args: [...args, '--url', url] }, profile);
  }
  const anonymous = createGatewayClient({ url, adminToken, signal });
  const { authenticated } = await anonymous.getSession();
  if (!authenticated) reportKeyNeeded(terminal);
  return { kind: 'http', url: `${toReachableUrl(url)}${endpointPath(profile)}` };
}

function reportKeyNeeded(terminal: Terminal): void {
  const header = '"headers": { "Authorization": "Bearer KEY" }';
  terminal.say(`The gateway requires an API key: create one with \`toolwharf keys create\` and add ${header}.`);
}

/** The URL of the running gateway, or the one it will have. */
async function gatewayUrl({ host, port }: GatewayConfig, { terminal, env }: CommandContext): Promise<string> {
  const running = await findGateway(dataDirectory(env));
  if (running) return toReachableUrl(running.url);
  if (port === 0) {
    throw new UnavailableError(
      'The port of the gateway is unknown until it runs: start it with `toolwharf serve` first',
    );
  }
  terminal.say('No gateway is running: start one with `toolwharf serve`.');
  return toReachableUrl(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

function edit(file: string, text: string, client: McpClient, name: string, entry: object): string {
  try {
    if (client.wholeFile) return entryText(client, name, entry);
    if (client.format === 'toml') return setInToml(text, [client.paths[0]?.[0] ?? '', name], entry);
    if (client.format === 'yaml') return setInYaml(text, [...(client.paths[0] ?? []), name], entry);
    const [first, second] = client.paths;
    const path = second && !hasObject(text, first ?? []) ? second : first;
    return setInJson(text, [...(path ?? ['mcpServers']), name], entry);
  } catch (cause) {
    if (cause instanceof FileEditError)
      throw new UsageError(`Cannot edit '${file}', which is unchanged: ${cause.message}`);
    throw cause;
  }
}

/** The text of a file; empty if it does not exist. */
async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new UsageError(`Cannot read '${file}': ${messageOf(cause)}`);
  }
}

/** Replaces a file and keeps its mode; returns the path of the backup, if the file existed. */
async function replaceFile(file: string, text: string): Promise<string | undefined> {
  try {
    // A symbolic link stays one: its target is replaced.
    const target = await realpath(file).catch(() => file);
    const before = await stat(target).catch(() => undefined);
    const stamp = new Date().toISOString().replace(/\..*/, '').replaceAll(':', '-');
    const backup = before && `${target}.${stamp}.bak`;
    if (backup === undefined) await mkdir(dirname(target), { recursive: true });
    else await copyFile(target, backup);
    await writeFileAtomically(target, text, before && before.mode & 0o777);
    return backup;
  } catch (cause) {
    throw new UsageError(`Cannot write '${file}': ${messageOf(cause)}`);
  }
}

const contextLines = 2;

/** The changed lines with some context, as one hunk of `diff -u`; empty for equal texts. */
export function lineDifference(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  let head = 0;
  while (head < Math.min(oldLines.length, newLines.length) && oldLines[head] === newLines[head]) head++;
  let tail = 0;
  while (tail < Math.min(oldLines.length, newLines.length) - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail))
    tail++;
  const from = Math.max(0, head - contextLines);
  const removed = oldLines.slice(head, oldLines.length - tail);
  const added = newLines.slice(head, newLines.length - tail);
  const following = oldLines.slice(oldLines.length - tail, oldLines.length - tail + contextLines);
  const span = (lines: number) => `${from + 1},${head - from + lines + following.length}`;
  return [
    `@@ -${span(removed.length)} +${span(added.length)} @@`,
    ...oldLines.slice(from, head).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...following.map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
