import { findConfigFile } from '../../config/load-config.ts';
import { openConfig } from '../../config/open-config.ts';
import type { ServerView } from '../../gateway/api/schemas/servers.ts';
import { planServer, shortName } from '../../servers/registry/plan-server.ts';
import { createRegistry, type Registry } from '../../servers/registry/registry.ts';
import type { RegistryEntry, RegistryInput, RegistryWay } from '../../servers/registry/registry-entry.ts';
import { openGatewayClient } from '../backend/gateway-client.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../terminal/json-text.ts';
import { oneLine } from '../terminal/layout.ts';
import { printTable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../usage-error.ts';
import { pairs, resolveOption } from './servers/server-input.ts';
import { reportServer } from './servers/stored-servers.ts';

export interface RegistryOptions {
  readonly registry?: string;
  readonly json?: boolean;
}

/** `toolwharf registry search`. */
export async function searchRegistry(
  words: readonly string[],
  { limit = '30', ...options }: RegistryOptions & { readonly limit?: string },
  context: CommandContext,
): Promise<number> {
  if (!/^[1-9]\d?$|^100$/.test(limit)) throw new UsageError('--limit takes a number from 1 to 100');
  return inRegistry(options, context, async (registry) => {
    const { terminal, signal } = context;
    const search = words.join(' ');
    const page = await registry.search({ ...(search && { words: search }), limit: Number(limit), signal });
    terminal.status();
    if (options.json) terminal.print(jsonText(page));
    else if (page.servers.length === 0)
      terminal.note(`The registry has no server with '${oneLine(search)}' in its name.`);
    else {
      const rows = page.servers.map(({ name, version, ways, description }) => [
        name,
        version,
        kinds(ways),
        description,
      ]);
      printTable(terminal, ['NAME', 'VERSION', 'AS', 'ABOUT'], rows);
      if (page.nextCursor !== undefined) terminal.note('There are more: say more of the name, or raise --limit.');
    }
    return exitCodes.ok;
  });
}

/** `toolwharf registry show`. */
export async function showRegistryServer(
  name: string,
  options: RegistryOptions & { readonly release?: string },
  context: CommandContext,
): Promise<number> {
  return inRegistry(options, context, async (registry) => {
    const entry = await getEntry(registry, name, options, context);
    if (options.json) context.terminal.print(jsonText(entry));
    else printEntry(entry, context.terminal);
    return exitCodes.ok;
  });
}

export interface AddOptions extends RegistryOptions {
  readonly as?: string;
  readonly way?: string;
  readonly set?: readonly string[];
  readonly release?: string;
  readonly yes?: boolean;
}

/** `toolwharf registry add`: the running gateway keeps a server of the registry. What would be run is shown before. */
export async function addRegistryServer(name: string, options: AddOptions, context: CommandContext): Promise<number> {
  return inRegistry(options, context, async (registry) => {
    const { terminal, env } = context;
    const entry = await getEntry(registry, name, options, context);
    const way = chooseWay(entry, options.way);
    const given = pairs('--set', options.set ?? [], '=', (option, value) => resolveOption(option, value, env));
    const values = { ...given, ...(await askFor(way.inputs, given, context)) };
    const server = planServer(way, values);
    const what = way.kind === 'program' ? 'This program would be started' : 'This address would be connected';
    terminal.note(`${what}: ${terminal.noteColors.bold(oneLine(way.label))}`);
    if (!options.yes && !(await agrees(context))) {
      terminal.note('Nothing was added.');
      return exitCodes.denied;
    }
    const input = {
      name: options.as ?? shortName(entry.name),
      ...(entry.description !== '' && { description: entry.description }),
      ...server,
    };
    const gateway = await openGatewayClient(context);
    return reportServer('Added', await gateway.post<ServerView>('/api/servers', input), options, context);
  });
}

async function inRegistry(
  { registry: given }: RegistryOptions,
  context: CommandContext,
  work: (registry: Registry) => Promise<number>,
): Promise<number> {
  const { options, env, terminal } = context;
  const file = options.config ?? (await findConfigFile(process.cwd()));
  const url = given ?? (await openConfig(file, { env })).config.gateway.registry;
  const registry = createRegistry(url);
  try {
    terminal.status(`asking ${oneLine(url)} …`);
    return await work(registry);
  } finally {
    terminal.status();
    await registry.close();
  }
}

async function getEntry(
  registry: Registry,
  name: string,
  { release }: { readonly release?: string },
  { signal, terminal }: CommandContext,
): Promise<RegistryEntry> {
  const entry = await registry.get(name, { signal, ...(release !== undefined && { version: release }) });
  terminal.status();
  return entry;
}

function chooseWay({ name, ways, unusable }: RegistryEntry, wanted: string | undefined): RegistryWay {
  const [first] = ways;
  if (!first) {
    const why =
      unusable.map(({ what, reason }) => `${what}: ${reason}`).join('; ') || 'it names no package and no address';
    throw new UsageError(`'${name}' can't be added: ${why}`);
  }
  if (wanted === undefined) {
    if (ways.length === 1) return first;
    const list = ways.map(({ label }, at) => `  ${at + 1}  ${label}`).join('\n');
    throw new UsageError(`'${name}' can be had in ${ways.length} ways; choose one with --way:\n${list}`);
  }
  const way = /^[1-9]\d*$/.test(wanted) ? ways[Number(wanted) - 1] : undefined;
  if (!way) throw new UsageError(`--way takes a number from 1 to ${ways.length}`);
  return way;
}

/** At a terminal, what is required and missing is asked for. */
async function askFor(
  inputs: readonly RegistryInput[],
  given: Readonly<Record<string, string>>,
  { terminal, signal }: CommandContext,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  if (!terminal.canAsk) return answers;
  for (const { key, description, isRequired, isSecret, default: usual } of inputs) {
    if (!isRequired || usual !== undefined || given[key]) continue;
    const about = description === undefined ? '' : ` (${oneLine(description)})`;
    const answer = await terminal.ask(`${oneLine(key)}${about}: `, signal, { isSecret });
    if (answer) answers[key] = answer;
  }
  return answers;
}

async function agrees({ terminal, signal }: CommandContext): Promise<boolean> {
  if (!terminal.canAsk) throw new UsageError('Look at what would be run, and say --yes to add it');
  return /^y(es)?$/i.test((await terminal.ask('Add it? [y/N] ', signal))?.trim() ?? '');
}

function printEntry(entry: RegistryEntry, terminal: Terminal): void {
  const { colors } = terminal;
  const { name, title, version, status, description, repository, website, ways, unusable } = entry;
  const shown = [
    colors.bold(oneLine(title ?? name)),
    oneLine(version),
    status === 'active' ? '' : colors.yellow(status),
  ];
  terminal.print(shown.filter(Boolean).join('  '));
  if (title !== undefined) terminal.print(oneLine(name));
  if (description) terminal.print(oneLine(description));
  for (const link of [repository, website]) if (link !== undefined) terminal.print(colors.dim(oneLine(link)));
  for (const [at, { label, inputs }] of ways.entries()) {
    terminal.print(`\n${at + 1}  ${oneLine(label)}`);
    for (const { key, description: about = '', isRequired, default: usual, choices } of inputs) {
      const facts = [isRequired && 'required', usual !== undefined && `default ${usual}`, choices?.join(' | ')];
      const told = facts.filter(Boolean).join(', ');
      terminal.print(`   ${oneLine(key)}${told ? `  (${oneLine(told)})` : ''}${about ? `  ${oneLine(about)}` : ''}`);
    }
  }
  for (const { what, reason } of unusable)
    terminal.print(colors.dim(`\nnot here: ${oneLine(what)}: ${oneLine(reason)}`));
}

function kinds(ways: readonly RegistryWay[]): string {
  const found = new Set(ways.map(({ kind, target }) => ('command' in target ? target.command : kind)));
  return [...found].join(', ') || '-';
}
