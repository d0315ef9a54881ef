import type { ServerRecordView, ServerView } from '../../../gateway/api/schemas/servers.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { openGatewayClient } from '../../backend/gateway-client.ts';
import { whyUnavailable } from '../../backend/open-toolbox.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { count, duration, oneLine } from '../../terminal/layout.ts';
import { UsageError } from '../../usage-error.ts';
import { type ServerOptions, toServerInput } from './server-input.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `toolwharf servers add`: the gateway keeps a server and connects it. */
export async function addServer(
  name: string,
  args: readonly string[],
  options: ServerOptions & JsonOption,
  context: CommandContext,
): Promise<number> {
  if (options.url === undefined && options.command === undefined) {
    throw new UsageError('A server needs --url, or --command with its arguments after --');
  }
  const input = { name, ...toServerInput(options, args, context.env) };
  const gateway = await openGatewayClient(context);
  return reportServer('Added', await gateway.post<ServerView>('/api/servers', input), options, context);
}

/** `toolwharf servers edit`: changes what is named and leaves the rest as it is, secrets included. */
export async function editServer(
  name: string,
  args: readonly string[],
  options: ServerOptions & JsonOption & { readonly rename?: string },
  context: CommandContext,
): Promise<number> {
  const changes = toServerInput(options, args, context.env);
  const gateway = await openGatewayClient(context);
  const server = await gateway.get<ServerView>(pathOf(name));
  if (!server.record)
    throw new UsageError(`Server '${name}' can't be edited: ${server.readOnly ?? 'it is not stored'}`);
  const input = {
    ...keptOf(server.record, changes),
    ...changes,
    ...(staysApi(server.record, changes, options) && { transport: 'api' }),
    ...(options.rename !== undefined && { name: options.rename }),
  };
  return reportServer('Changed', await gateway.put<ServerView>(pathOf(name), input), options, context);
}

/** `toolwharf servers remove`. */
export async function removeServer(name: string, context: CommandContext): Promise<number> {
  const gateway = await openGatewayClient(context);
  await gateway.delete(pathOf(name));
  context.terminal.print(`Removed: ${oneLine(name)}`);
  return exitCodes.ok;
}

/** `toolwharf servers enable` and `disable`. */
export async function switchServer(name: string, verb: 'enable' | 'disable', context: CommandContext): Promise<number> {
  const gateway = await openGatewayClient(context);
  const server = await gateway.post<ServerView>(`${pathOf(name)}/${verb}`);
  return reportServer(verb === 'enable' ? 'Enabled' : 'Disabled', server, {}, context);
}

interface ServerTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly transport?: string;
  readonly era?: string;
  readonly tools: readonly object[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly stderr: readonly string[];
}

/** `toolwharf servers test`: tries a server of the gateway, or one that is only described, and keeps nothing. */
export async function testServer(
  name: string,
  args: readonly string[],
  options: ServerOptions & JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await openGatewayClient(context);
  let input: JsonObject = { name, ...toServerInput(options, args, context.env) };
  if (options.url === undefined && options.command === undefined) {
    const server = await gateway.get<ServerView>(pathOf(name));
    if (!server.record) {
      // A server of the file is connected by the gateway itself: how that went is the test.
      return reportServer('Connected', await gateway.post<ServerView>(`${pathOf(name)}/connect`), options, context);
    }
    input = { ...keptOf(server.record, input), ...input, server: name };
  }
  terminal.status(`trying ${oneLine(name)} …`);
  const test = await gateway.post<ServerTest>('/api/servers/test', input);
  terminal.status();
  if (options.json) terminal.print(jsonText(test));
  else {
    const { colors } = terminal;
    const facts = [count(test.tools.length, 'tool'), test.transport, test.era, duration(test.latencyMs)];
    const outcome = test.ok ? facts.filter(Boolean).join(', ') : `it can't be reached (${duration(test.latencyMs)})`;
    terminal.print(`${test.ok ? colors.green('✔') : colors.red('✖')} ${colors.bold(oneLine(name))}  ${outcome}`);
    for (const { message } of test.problems) terminal.print(`  ${colors.yellow('!')} ${oneLine(message)}`);
    if (!test.ok) for (const line of test.stderr.slice(-5)) terminal.print(`  ${colors.dim(oneLine(line))}`);
  }
  return test.ok ? exitCodes.ok : exitCodes.unavailable;
}

/** Says what became of a server. */
export function reportServer(
  verb: string,
  server: ServerView,
  { json }: JsonOption,
  { terminal }: CommandContext,
): number {
  const { name, status, enabled, offers, problem } = server;
  if (json) {
    terminal.print(jsonText(server));
    return exitCodes.ok;
  }
  const tools = offers.tools ? `, ${count(offers.tools.count, 'tool')}` : '';
  const state = enabled ? `${status.state}${tools}` : 'disabled';
  terminal.print(`${verb}: ${oneLine(name)}  ${state}`);
  if (problem !== undefined) terminal.note(problem);
  else if (enabled && status.state !== 'connected') terminal.note(whyUnavailable(status));
  return exitCodes.ok;
}

/** An API stays one at another address, unless it is said to be something else. */
function staysApi(record: ServerRecordView, changes: JsonObject, options: ServerOptions): boolean {
  return record.transport === 'api' && changes.url !== undefined && options.transport === undefined;
}

/** What stays of a record: all, unless the server becomes one of the other kind, of which nothing of the old one holds. */
function keptOf(record: ServerRecordView, changes: JsonObject): JsonObject {
  const { id: _id, createdAt: _created, updatedAt: _updated, lastConnectedAt: _last, ...kept } = record;
  const becomesProgram = changes.transport === 'stdio' && kept.transport !== 'stdio';
  const becomesAddress = changes.url !== undefined && kept.transport === 'stdio';
  if (!becomesProgram && !becomesAddress) return kept;
  const { command: _command, args: _args, env: _env, cwd: _cwd, ...withoutProgram } = kept;
  const { url: _url, headers: _headers, authentication: _authentication, ...common } = withoutProgram;
  const {
    allowInsecure: _allow,
    openapi: _openapi,
    endpoints: _endpoints,
    transport: _transport,
    ...settings
  } = common;
  return settings;
}

function pathOf(server: string): string {
  return `/api/servers/${encodeURIComponent(server)}`;
}
