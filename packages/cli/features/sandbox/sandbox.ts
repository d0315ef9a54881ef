import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { requireStored } from '../../core/client/open-stored.ts';
import { requireGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { count, jsonText, oneLine } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';

type SandboxState = Awaited<ReturnType<GatewayClient['getSandbox']>>;
type Proposal = NonNullable<SandboxState['proposal']>;

export interface LearnOptions extends JsonOption {
  readonly stop?: boolean;
}

export interface AcceptOptions extends JsonOption {
  readonly without?: readonly string[];
}

/** `toolwharf sandbox show`: prints the sandboxes of all servers, or that of one with its profile. */
export async function showSandbox(
  server: string | undefined,
  { json }: JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireStored(context);
  if (server !== undefined) {
    const state = await gateway.getSandbox({ path: { server } });
    if (json) terminal.print(jsonText(state));
    else printState(state, terminal);
    return exitCodes.ok;
  }
  const { servers } = await gateway.listSandboxes();
  printList(terminal, servers, {
    json,
    empty: 'There are no servers with programs.',
    columns: {
      SERVER: (state) => state.server,
      MODE: ({ mode, learningSince }) => (learningSince === undefined ? mode : 'learning'),
      READ: (state) => `${allowed(state, 'read').length}`,
      WRITE: (state) => `${allowed(state, 'write').length}`,
      HOSTS: (state) => `${allowed(state, 'network').length}`,
      BLOCKED: ({ blocked }) => `${blocked.length}`,
      PROBLEM: ({ problem = '' }) => problem,
    },
    main: ['SERVER', 'MODE', 'PROBLEM'],
    optional: ['BLOCKED'],
  });
  return exitCodes.ok;
}

/** `toolwharf sandbox learn`: starts learning, or ends it. */
export async function learnSandbox(
  server: string,
  { stop = false, json }: LearnOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const state = await gateway.learnSandbox({ path: { server }, body: { enabled: !stop } });
  const name = `'${oneLine(server)}'`;
  const done = stop ? `${name} no longer learns; its sandbox is in mode ${state.mode}` : `${name} learns`;
  printDone(terminal, { json }, done, state);
  if (!stop) {
    terminal.say(`Make its usual calls, then run \`toolwharf sandbox diff ${server}\`.`);
    if (!state.watchesFiles) terminal.note(noStrace);
  }
  return exitCodes.ok;
}

/** `toolwharf sandbox diff`: prints what a program has used, compared with its profile, and the calls that caused it. */
export async function diffSandbox(server: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const { colors } = terminal;
  const { proposal, watchesFiles } = await requireProposal(server, await requireGateway(context));
  if (json) {
    terminal.print(jsonText(proposal));
    return exitCodes.ok;
  }
  const marks = { added: colors.green('+'), removed: colors.red('-'), same: ' ' };
  for (const { list, entry, change, causes } of proposal.entries) {
    const why = causes.length > 0 ? colors.dim(`  ${oneLine(causes.join(', '))}`) : '';
    terminal.print(`${marks[change]} ${list.padEnd(7)} ${oneLine(entry)}${why}`);
  }
  if (proposal.entries.length === 0)
    terminal.print('The program used nothing but its own files and those of the system.');
  if (proposal.programs.length > 0) terminal.say(`Programs: ${oneLine(proposal.programs.join(', '))}`);
  if (!watchesFiles) terminal.note(noStrace);
  return exitCodes.ok;
}

/** `toolwharf sandbox accept`: accepts what the program has used as its profile. */
export async function acceptSandbox(
  server: string,
  { without = [], json }: AcceptOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const { entries } = (await requireProposal(server, gateway)).proposal;
  const unknown = without.find((text) => !entries.some(({ entry }) => entry === text));
  if (unknown !== undefined)
    throw new UsageError(`There is no entry ${unknown}: \`toolwharf sandbox diff\` lists them`);
  const kept = entries.filter(({ entry, change }) => change !== 'removed' && !without.includes(entry));
  const of = (name: Proposal['entries'][number]['list']) =>
    kept.filter(({ list }) => list === name).map(({ entry }) => entry);
  const body = { read: of('read'), write: of('write'), network: of('network') };
  const state = await gateway.acceptSandbox({ path: { server }, body });
  const size = count(body.read.length + body.write.length + body.network.length, 'entry', 'entries');
  printDone(
    terminal,
    { json },
    `Accepted a profile of ${size}; '${oneLine(server)}' runs in mode ${state.mode}`,
    state,
  );
  if (state.mode === 'off')
    terminal.note('The settings of the server switch its sandbox off: write `sandbox: enforce`.');
  return exitCodes.ok;
}

export interface AllowOptions extends JsonOption {
  readonly write?: boolean;
}

/** `toolwharf sandbox allow`: adds hosts and paths to the accepted profile. */
export async function allowInSandbox(
  server: string,
  entries: readonly string[],
  { write = false, json }: AllowOptions,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireGateway(context);
  const { accepted } = await gateway.getSandbox({ path: { server } });
  const before = accepted?.isStale === false ? accepted.profile : { read: [], write: [], network: [] };
  const paths = entries.filter((entry) => /^(\/|~\/)/.test(entry));
  const hosts = entries.filter((entry) => !paths.includes(entry));
  const add = (list: readonly string[], more: readonly string[]) => [...new Set([...list, ...more])];
  const body = {
    read: add(before.read, write ? [] : paths),
    write: add(before.write, write ? paths : []),
    network: add(before.network, hosts),
  };
  const state = await gateway.acceptSandbox({ path: { server }, body });
  const allowed = `Allowed ${count(entries.length, 'entry', 'entries')}; '${oneLine(server)}' runs in mode ${state.mode}`;
  printDone(context.terminal, { json }, allowed, state);
  return exitCodes.ok;
}

const noStrace = 'strace is not installed, so that only hosts are watched and no files: install the package strace.';

async function requireProposal(
  server: string,
  gateway: GatewayClient,
): Promise<SandboxState & { readonly proposal: Proposal }> {
  const { proposal, ...state } = await gateway.getSandbox({ path: { server } });
  if (proposal) return { ...state, proposal };
  throw new UsageError(`Server '${server}' does not learn: run \`toolwharf sandbox learn ${server}\` first`);
}

function printState(state: SandboxState, terminal: Terminal): void {
  const { colors } = terminal;
  const { server, mode, problem, accepted, denied, blocked } = state;
  terminal.print(`${colors.bold(oneLine(server))}  ${mode}`);
  if (problem !== undefined) terminal.print(`${colors.red('✖')} ${oneLine(problem)}`);
  if (accepted?.isStale)
    terminal.print(
      `${colors.yellow('!')} The program has changed since its profile was accepted: learn or accept it again`,
    );
  for (const list of ['read', 'write', 'network'] as const)
    for (const entry of allowed(state, list)) terminal.print(`  ${list.padEnd(7)} ${oneLine(entry)}`);
  for (const host of denied) terminal.print(`  ${colors.red('never'.padEnd(7))} ${oneLine(host)}`);
  for (const { list, entry, at, tool, reason } of blocked)
    terminal.print(
      `${colors.yellow('!')} ${at}  ${list} ${oneLine(entry)}${tool === undefined ? '' : `  ${oneLine(tool)}`}  ${colors.dim(oneLine(reason))}`,
    );
}

/** What the settings and the accepted profile allow. */
function allowed({ configured, accepted }: SandboxState, list: keyof SandboxState['configured']): readonly string[] {
  return [...new Set([...configured[list], ...(accepted?.isStale === false ? accepted.profile[list] : [])])];
}
