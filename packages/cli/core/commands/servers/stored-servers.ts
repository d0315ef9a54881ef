import type { Server, ServerInput, ServerRecord, ServerTestInput } from '../../../../contract/api-types.ts';
import { isHealthy } from '../../../../contract/connections.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import { whyUnavailable } from '../../client/known-server.ts';
import { requireGateway } from '../../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes, UsageError } from '../../errors.ts';
import { connectionSettings } from '../../program/setting-options.ts';
import { count, duration, jsonText, oneLine } from '../../terminal/format.ts';
import { printDone } from '../../terminal/print-table.ts';
import { type ServerOptions, toServerInput } from './server-input.ts';

/** `toolwharf servers add`: stores a server in the gateway and connects it. */
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
  const gateway = await requireGateway(context);
  return reportServer('Added', await gateway.addServer({ body: input as ServerInput }), options, context);
}

/** `toolwharf servers edit`: changes the given settings and keeps the others, secrets included. */
export async function editServer(
  name: string,
  args: readonly string[],
  options: ServerOptions & JsonOption & { readonly rename?: string },
  context: CommandContext,
): Promise<number> {
  const changes = toServerInput(options, args, context.env);
  const gateway = await requireGateway(context);
  const { record, readOnly, revision } = await gateway.getServer({ path: { server: name } });
  if (!record) throw new UsageError(`Server '${name}' cannot be edited: ${readOnly ?? 'it is not stored'}`);
  const input: Record<string, unknown> = { ...unchangedOf(record, changes), ...changes };
  // An HTTP API remains one at a new URL, unless --transport says otherwise.
  if (record.transport === 'api' && changes.url !== undefined && options.transport === undefined) {
    input.transport = 'api';
  }
  if (options.rename !== undefined) input.name = options.rename;
  return reportServer(
    'Changed',
    await gateway.updateServer({ path: { server: name }, body: { ...(input as ServerInput), revision } }),
    options,
    context,
  );
}

/** `toolwharf servers remove`. */
export async function removeServer(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  await gateway.removeServer({ path: { server: name } });
  printDone(context.terminal, options, `Removed: ${oneLine(name)}`, { name });
  return exitCodes.ok;
}

/** `toolwharf servers accept`. */
export const acceptServer = changeState('Accepted', ['acceptServer']);

/** `toolwharf servers enable`. */
export const enableServer = changeState('Enabled', ['enableServer']);

/** `toolwharf servers disable`. */
export const disableServer = changeState('Disabled', ['disableServer']);

/** `toolwharf servers connect`. */
export const connectServer = changeState('Connected', ['connectServer']);

/** `toolwharf servers disconnect`: its tools are gone until it is connected again or the gateway restarts. */
export const disconnectServer = changeState('Disconnected', ['disconnectServer']);

/** `toolwharf servers restart`: ends the connection, or the program of a local server, and connects again. */
export const restartServer = changeState('Restarted', ['disconnectServer', 'connectServer']);

/** `toolwharf servers refresh`: reads its tools again. */
export const refreshServer = changeState('Refreshed', ['refreshServer']);

type ServerAction = `${'accept' | 'enable' | 'disable' | 'connect' | 'disconnect' | 'refresh'}Server`;

/** A command that posts actions of the API for a server, one after the other. */
function changeState(verb: string, actions: readonly ServerAction[]) {
  return async (name: string, options: JsonOption, context: CommandContext): Promise<number> => {
    const gateway = await requireGateway(context);
    let server: Server | undefined;
    for (const action of actions) server = await gateway[action]({ path: { server: name } });
    return server ? reportServer(verb, server, options, context) : exitCodes.ok;
  };
}

/** `toolwharf servers test`: tests a server of the gateway, or one described by the options, without saving anything. */
export async function testServer(
  name: string,
  args: readonly string[],
  options: ServerOptions & JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  let input: JsonObject = { name, ...toServerInput(options, args, context.env) };
  if (options.url === undefined && options.command === undefined) {
    const server = await gateway.getServer({ path: { server: name } });
    if (!server.record) {
      // The gateway connects the servers of the configuration file itself: reconnecting is the test.
      return reportServer('Connected', await gateway.connectServer({ path: { server: name } }), options, context);
    }
    input = { ...unchangedOf(server.record, input), ...input, server: name };
  }
  terminal.status(`Testing ${oneLine(name)} …`);
  const test = await gateway.testServer({ body: input as ServerTestInput });
  terminal.status();
  if (options.json) terminal.print(jsonText(test));
  else {
    const { colors } = terminal;
    const facts = [count(test.tools.length, 'tool'), test.transport, test.era, duration(test.latencyMs)];
    const outcome = test.ok ? facts.filter(Boolean).join(', ') : `unreachable (${duration(test.latencyMs)})`;
    terminal.print(`${test.ok ? colors.green('✔') : colors.red('✖')} ${colors.bold(oneLine(name))}  ${outcome}`);
    for (const { message } of test.problems) terminal.print(`  ${colors.yellow('!')} ${oneLine(message)}`);
    if (!test.ok) for (const line of test.stderr.slice(-5)) terminal.print(`  ${colors.dim(oneLine(line))}`);
  }
  return test.ok ? exitCodes.ok : exitCodes.unavailable;
}

/** Prints the action on a server and its state afterwards. */
export function reportServer(verb: string, server: Server, { json }: JsonOption, { terminal }: CommandContext): number {
  const { name, status, enabled, offers, problem } = server;
  if (json) {
    terminal.print(jsonText(server));
    return exitCodes.ok;
  }
  const tools = offers.tools ? `, ${count(offers.tools.count, 'tool')}` : '';
  const state =
    verb === 'Disabled' || verb === 'Disconnected' ? '' : enabled ? `  ${status.state}${tools}` : '  disabled';
  terminal.print(`${verb}: ${oneLine(name)}${state}`);
  if (problem !== undefined) terminal.say(problem);
  else if (enabled && !isHealthy(status.state) && verb !== 'Disconnected') terminal.say(whyUnavailable(status));
  return exitCodes.ok;
}

/** The settings that an edit keeps: a change from a command to a URL, or back, drops those of the connection. */
function unchangedOf(record: ServerRecord, changes: JsonObject): JsonObject {
  const becomesCommand = changes.transport === 'stdio' && record.transport !== 'stdio';
  const becomesUrl = changes.url !== undefined && record.transport === 'stdio';
  const dropped = new Set(becomesCommand || becomesUrl ? [...generatedKeys, ...connectionSettings()] : generatedKeys);
  return Object.fromEntries(Object.entries(record).filter(([key]) => !dropped.has(key)));
}

const generatedKeys = ['id', 'createdAt', 'updatedAt', 'lastConnectedAt'];
