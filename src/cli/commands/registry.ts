import type { RegistryServerView } from '../../gateway/api/schemas/registry.ts';
import type { ServerView } from '../../gateway/api/schemas/servers.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { shortName } from '../../servers/registry/plan-server.ts';
import type { RegistryInput } from '../../servers/registry/registry-entry.ts';
import { type OpenRegistry, openRegistry } from '../backend/open-registry.ts';
import { requireGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../errors.ts';
import { confirm } from '../terminal/confirm.ts';
import { jsonText, oneLine } from '../terminal/format.ts';
import { printTable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { parsePairs, resolveOption } from './servers/server-input.ts';
import { reportServer } from './servers/stored-servers.ts';

type InstallOption = RegistryServerView['installOptions'][number];

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
    const { terminal } = context;
    const search = words.join(' ');
    const page = await explainFailure(registry.search(search, Number(limit)));
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
    const optionIndex = chooseOption(entry, options.installOption);
    const option = entry.installOptions[optionIndex] as InstallOption;
    const given = parsePairs('--set', options.set ?? [], '=', (option, value) => resolveOption(option, value, env));
    const values = { ...given, ...(await promptForInputs(option.inputs, given, context)) };
    const server = await explainFailure(registry.plan(entry, optionIndex, values));
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
    const gateway = registry.gateway ?? (await requireGateway(context));
    return reportServer('Added', await gateway.post<ServerView>('/api/servers', input), options, context);
  });
}

async function withRegistry(
  { registry: given }: RegistryOptions,
  context: CommandContext,
  work: (registry: OpenRegistry) => Promise<number>,
): Promise<number> {
  await using registry = await openRegistry(given, context);
  try {
    return await work(registry);
  } finally {
    context.terminal.status();
  }
}

async function getEntry(
  registry: OpenRegistry,
  name: string,
  { release }: { readonly release?: string },
  { terminal }: CommandContext,
): Promise<RegistryServerView> {
  const entry = await explainFailure(registry.get(name, release));
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

/** The index of the install option that was chosen, or of the only one. */
function chooseOption({ name, installOptions, unusable }: RegistryServerView, wanted: string | undefined): number {
  if (installOptions.length === 0) {
    const why =
      unusable.map(({ what, reason }) => `${what}: ${reason}`).join('; ') || 'it has neither a package nor a URL';
    throw new UsageError(`'${name}' cannot be added: ${why}`);
  }
  if (wanted === undefined) {
    if (installOptions.length === 1) return 0;
    const list = installOptions.map(({ label }, at) => `  ${at + 1}  ${label}`).join('\n');
    throw new UsageError(
      `'${name}' has ${installOptions.length} installation options; choose one with --install-option:\n${list}`,
    );
  }
  const index = /^[1-9]\d*$/.test(wanted) ? Number(wanted) - 1 : -1;
  if (!installOptions[index])
    throw new UsageError(`--install-option must be a number from 1 to ${installOptions.length}`);
  return index;
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

function printEntry(entry: RegistryServerView, terminal: Terminal): void {
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
  const found = new Set(installOptions.map(({ kind, label }) => (kind === 'program' ? label.split(' ')[0] : kind)));
  return [...found].join(', ') || '-';
}
