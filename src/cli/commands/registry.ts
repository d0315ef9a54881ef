import { openConfig } from '../../config/open-config.ts';
import type { ServerView } from '../../gateway/api/schemas/servers.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { planServer, shortName } from '../../servers/registry/plan-server.ts';
import { createRegistry, type Registry } from '../../servers/registry/registry.ts';
import type { InstallOption, RegistryEntry, RegistryInput } from '../../servers/registry/registry-entry.ts';
import { requireGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../errors.ts';
import { confirm } from '../terminal/confirm.ts';
import { jsonText, oneLine } from '../terminal/format.ts';
import { printTable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { parsePairs, resolveOption } from './servers/server-input.ts';
import { reportServer } from './servers/stored-servers.ts';

export interface RegistryOptions extends JsonOption {
  readonly registry?: string;
}

/** `toolwharf registry search`: lists published servers by words of their names. */
export async function searchRegistry(
  words: readonly string[],
  { limit = '30', ...options }: RegistryOptions & { readonly limit?: string },
  context: CommandContext,
): Promise<number> {
  if (!/^[1-9]\d?$|^100$/.test(limit)) throw new UsageError('--limit must be a number from 1 to 100');
  return withRegistry(options, context, async (registry) => {
    const { terminal, signal } = context;
    const search = words.join(' ');
    const page = await explainFailure(registry.search({ words: search || undefined, limit: Number(limit), signal }));
    terminal.status();
    if (options.json) terminal.print(jsonText(page));
    else if (page.servers.length === 0)
      terminal.note(`No server in the registry has '${oneLine(search)}' in its name.`);
    else {
      const rows = page.servers.map(({ name, version, installOptions, description }) => [
        name,
        version,
        runtimesOf(installOptions),
        description,
      ]);
      printTable(terminal, ['NAME', 'VERSION', 'RUNS AS', 'DESCRIPTION'], rows);
      if (page.nextCursor !== undefined) terminal.note('There are more results: narrow the search, or raise --limit.');
    }
    return exitCodes.ok;
  });
}

/** `toolwharf registry show`: prints a server's installation options and settings. */
export async function showRegistryServer(
  name: string,
  options: RegistryOptions & { readonly release?: string },
  context: CommandContext,
): Promise<number> {
  return withRegistry(options, context, async (registry) => {
    const entry = await getEntry(registry, name, options, context);
    if (options.json) context.terminal.print(jsonText(entry));
    else printEntry(entry, context.terminal);
    return exitCodes.ok;
  });
}

export interface AddOptions extends RegistryOptions {
  readonly as?: string;
  readonly installOption?: string;
  readonly set?: readonly string[];
  readonly release?: string;
  readonly yes?: boolean;
  readonly acceptRisks?: boolean;
}

/** `toolwharf registry add`: adds a published server to the gateway, after the person has confirmed what it runs. */
export async function addRegistryServer(
  registryName: string,
  options: AddOptions,
  context: CommandContext,
): Promise<number> {
  return withRegistry(options, context, async (registry) => {
    const { terminal, env } = context;
    const entry = await getEntry(registry, registryName, options, context);
    const option = chooseOption(entry, options.installOption);
    const given = parsePairs('--set', options.set ?? [], '=', (option, value) => resolveOption(option, value, env));
    const values = { ...given, ...(await promptForInputs(option.inputs, given, context)) };
    const server = planServer(option, values);
    const action = option.kind === 'program' ? 'The gateway will run' : 'The gateway will connect to';
    terminal.note(`${action}: ${terminal.noteColors.bold(oneLine(option.label))}`);
    for (const risk of option.risks) terminal.note(terminal.noteColors.yellow(`Warning: ${oneLine(risk)}`));
    const isConfirmed = options.yes === true && (option.risks.length === 0 || options.acceptRisks === true);
    if (!isConfirmed && !(await confirmAdding(option, context))) {
      terminal.note('Nothing was added.');
      return exitCodes.denied;
    }
    const name = options.as ?? shortName(entry.name);
    const input = { name, description: entry.description || undefined, ...server };
    const gateway = await requireGateway(context);
    return reportServer('Added', await gateway.post<ServerView>('/api/servers', input), options, context);
  });
}

async function withRegistry(
  { registry: given }: RegistryOptions,
  context: CommandContext,
  work: (registry: Registry) => Promise<number>,
): Promise<number> {
  const { options, env, cwd, terminal } = context;
  const url = given ?? (await openConfig(options.config, { env, cwd })).config.gateway.registry;
  const registry = createRegistry(url);
  try {
    terminal.status(`Searching ${oneLine(url)} …`);
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
  const entry = await explainFailure(registry.get(name, { signal, version: release }));
  terminal.status();
  return entry;
}

/** A registry that cannot be reached is no server of the configuration: `toolwharf check` would not help. */
async function explainFailure<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || !['SERVER_UNREACHABLE', 'SERVER_PROTOCOL'].includes(cause.code))
      throw cause;
    throw new UnavailableError(`${cause.message}. Check the network, or choose another registry with --registry`);
  }
}

function chooseOption({ name, installOptions, unusable }: RegistryEntry, wanted: string | undefined): InstallOption {
  const [first] = installOptions;
  if (!first) {
    const why =
      unusable.map(({ what, reason }) => `${what}: ${reason}`).join('; ') || 'it has neither a package nor a URL';
    throw new UsageError(`'${name}' cannot be added: ${why}`);
  }
  if (wanted === undefined) {
    if (installOptions.length === 1) return first;
    const list = installOptions.map(({ label }, at) => `  ${at + 1}  ${label}`).join('\n');
    throw new UsageError(
      `'${name}' has ${installOptions.length} installation options; choose one with --install-option:\n${list}`,
    );
  }
  const option = /^[1-9]\d*$/.test(wanted) ? installOptions[Number(wanted) - 1] : undefined;
  if (!option) throw new UsageError(`--install-option must be a number from 1 to ${installOptions.length}`);
  return option;
}

/** Prompts for required settings that were not given, if there is a terminal. */
async function promptForInputs(
  inputs: readonly RegistryInput[],
  given: Readonly<Record<string, string>>,
  { terminal, signal }: CommandContext,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  if (!terminal.canAsk) return answers;
  for (const { key, description, isRequired, isSecret, default: preset } of inputs) {
    if (!isRequired || preset !== undefined || given[key]) continue;
    const about = description === undefined ? '' : ` (${oneLine(description)})`;
    const answer = await terminal.ask(`${oneLine(key)}${about}: `, signal, { isSecret });
    if (answer) answers[key] = answer;
  }
  return answers;
}

async function confirmAdding({ risks }: InstallOption, { terminal, signal }: CommandContext): Promise<boolean> {
  const needed = risks.length > 0 ? '--yes --accept-risks' : '--yes';
  if (!terminal.canAsk)
    throw new UsageError(`Adding a server needs confirmation: review what it runs, then use ${needed}`);
  return (await confirm(terminal, 'Add it?', { signal, fallback: false })) ?? false;
}

function printEntry(entry: RegistryEntry, terminal: Terminal): void {
  const { colors } = terminal;
  const { name, title, version, status, description, repository, website, installOptions, unusable } = entry;
  const shown = [
    colors.bold(oneLine(title ?? name)),
    oneLine(version),
    status === 'active' ? '' : colors.yellow(status),
  ];
  terminal.print(shown.filter(Boolean).join('  '));
  if (title !== undefined) terminal.print(oneLine(name));
  if (description) terminal.print(oneLine(description));
  for (const link of [repository, website]) if (link !== undefined) terminal.print(colors.dim(oneLine(link)));
  for (const [at, { label, inputs }] of installOptions.entries()) {
    terminal.print(`\n${at + 1}  ${oneLine(label)}`);
    for (const { key, description: about = '', isRequired, default: preset, choices } of inputs) {
      const facts = [isRequired && 'required', preset !== undefined && `default ${preset}`, choices?.join(' | ')];
      const details = facts.filter(Boolean).join(', ');
      terminal.print(
        `   ${oneLine(key)}${details ? `  (${oneLine(details)})` : ''}${about ? `  ${oneLine(about)}` : ''}`,
      );
    }
  }
  for (const { what, reason } of unusable)
    terminal.print(colors.dim(`\nunavailable: ${oneLine(what)}: ${oneLine(reason)}`));
}

function runtimesOf(installOptions: readonly InstallOption[]): string {
  const found = new Set(installOptions.map(({ kind, target }) => ('command' in target ? target.command : kind)));
  return [...found].join(', ') || '-';
}
