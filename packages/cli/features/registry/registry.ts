import type { RegistryServerView } from '../../../contract/api/registry.ts';
import type { ServerInput } from '../../../contract/api-types.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { openStorage } from '../../../gateway/core/storage/open-storage.ts';
import { shortName } from '../../../gateway/features/registry/plan-server.ts';
import type { RegistryInput } from '../../../gateway/features/registry/registry-entry.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { openOwnGateway } from '../../core/client/open-own-gateway.ts';
import { requireGateway, selectGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { parsePairs, resolveOption } from '../../core/commands/servers/server-input.ts';
import { reportServer } from '../../core/commands/servers/stored-servers.ts';
import { exitCodes, UnavailableError, UsageError } from '../../core/errors.ts';
import { confirm } from '../../core/terminal/confirm.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printTable } from '../../core/terminal/print-table.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';

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
  return withRegistry(options, context, async (gateway) => {
    const { terminal } = context;
    const search = words.join(' ');
    const query = { search, limit: Number(limit) };
    const page = await explainFailure(gateway.searchRegistry({ query }));
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
  return withRegistry(options, context, async (gateway) => {
    const entry = await getEntry(gateway, name, options, context);
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
  return withRegistry(options, context, async (gateway, isOwn) => {
    const { terminal, env } = context;
    const entry = await getEntry(gateway, registryName, options, context);
    const optionIndex = chooseOption(entry, options.installOption);
    const option = entry.installOptions[optionIndex] as InstallOption;
    const given = parsePairs('--set', options.set ?? [], '=', (option, value) => resolveOption(option, value, env));
    const values = { ...given, ...(await promptForInputs(option.inputs, given, context)) };
    const name = options.as ?? shortName(entry.name);
    // The person accepts the risks before the server is added.
    const plan = { name: entry.name, version: entry.version, optionIndex, values, as: name, acceptRisks: true };
    const server = await explainFailure(gateway.planRegistryServer({ body: plan }));
    const action = option.kind === 'program' ? 'The gateway will run' : 'The gateway will connect to';
    terminal.note(`${action}: ${terminal.noteColors.bold(oneLine(option.label))}`);
    for (const risk of option.risks) terminal.note(terminal.noteColors.yellow(`Warning: ${oneLine(risk)}`));
    const isConfirmed = options.yes === true && (option.risks.length === 0 || options.acceptRisks === true);
    if (!isConfirmed && !(await confirmAdding(option, context))) {
      terminal.note('Nothing was added.');
      return exitCodes.denied;
    }
    const running = isOwn ? await requireGateway(context) : gateway;
    return reportServer('Added', await running.addServer({ body: server as ServerInput }), options, context);
  });
}

/** Uses the running gateway, or one in this process for `--registry` and where none runs. */
async function withRegistry(
  { registry }: RegistryOptions,
  context: CommandContext,
  work: (gateway: GatewayClient, isOwn: boolean) => Promise<number>,
): Promise<number> {
  const { terminal } = context;
  const running = registry === undefined ? await selectGateway(context) : undefined;
  await using own = running ? undefined : await openOwn(registry, context);
  terminal.status('Searching the registry …');
  try {
    return await work(running ?? (own as NonNullable<typeof own>).client, own !== undefined);
  } finally {
    terminal.status();
  }
}

/** Opens a gateway in this process for `--registry`, or for the registry of the configuration. */
async function openOwn(registry: string | undefined, context: CommandContext) {
  return openOwnGateway(context, {
    storage: await openStorage({ kind: 'memory' }),
    connects: false,
    source: registry === undefined ? undefined : { servers: {}, gateway: { registry } },
    sourceName: ({ gateway }) => `the registry ${gateway.registry}`,
  });
}

async function getEntry(
  gateway: GatewayClient,
  name: string,
  { release }: { readonly release?: string },
  { terminal }: CommandContext,
): Promise<RegistryServerView> {
  const request = { path: { name }, query: { version: release } };
  const entry = await explainFailure(gateway.getRegistryServer(request));
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
