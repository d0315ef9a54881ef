import { ToolwharfError } from '../../../contract/errors.ts';
import { type Problem, problemLine } from '../../../toolwharf/config/problems.ts';
import type { LogEntry } from '../../../toolwharf/kernel/log.ts';
import { createArgumentsChecker } from '../../../toolwharf/policy/validate-arguments.ts';
import {
  describeTools,
  isUnavailable,
  type KnownServer,
  paintState,
  stateOf,
  whyUnavailable,
} from '../client/known-server.ts';
import { openServers } from '../client/open-tools.ts';
import { describeConfig, type OpenedServers } from '../client/opened-tools.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { count, duration, jsonText, oneLine, pad, widthOf, wrap } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isAtLeast } from '../terminal/terminal-log.ts';

/** One problem with a server or a tool. */
interface Finding {
  readonly kind: FindingKind;
  readonly message: string;
  readonly tool?: string;
}

type FindingKind =
  | 'unavailable'
  | 'degraded'
  | 'left-out'
  | 'schema'
  | 'suspicious'
  | 'not-configured'
  | 'refused'
  | 'gone'
  | 'warning';

interface CheckedServer {
  readonly info: KnownServer;
  readonly problems: readonly Finding[];
}

/** `toolwharf check`: reports every problem with the configuration, the servers and the tools. */
export async function check({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  let opened: OpenedServers;
  try {
    opened = await openServers(context, {
      tolerant: true,
      suppressLog: ({ level }) => isAtLeast(level, 'warning'),
    });
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'CONFIG_INVALID') throw cause;
    return reportInvalid(cause, terminal, json ?? false);
  }
  await using _opened = opened;
  const { config, servers, warnings } = opened;
  const checked = servers.map((info) => checkServer(info, opened));
  const names = new Set(servers.map((info) => info.name));
  const logged = warnings.filter(({ fields }) => typeof fields.server !== 'string' || !names.has(fields.server));
  // Without a gateway, the warnings of the configuration are in the log too.
  const messages = new Set([...logged.map(({ message }) => message), ...(config.warnings ?? [])]);
  const general = [...messages].map((message): Finding => ({ kind: 'warning', message }));
  if (config.refused !== undefined) general.unshift({ kind: 'refused', message: config.refused });
  const total = general.length + checked.reduce((sum, { problems }) => sum + problems.length, 0);
  if (json) {
    const { file, dialect } = config;
    const report = { ok: total === 0, config: { file, dialect, problems: [] }, problems: general };
    terminal.print(jsonText({ ...report, servers: checked.map(toJson) }));
  } else print({ config: describeConfig(config), general, checked, total }, terminal);
  return total === 0 ? exitCodes.ok : exitCodes.problem;
}

/** The problems of one server: its state, then its tools, then other warnings in the log. */
function checkServer(info: KnownServer, opened: OpenedServers): CheckedServer {
  if (!info.enabled) return { info, problems: [] };
  const problems: Finding[] = [];
  if (isUnavailable(info)) problems.push({ kind: 'unavailable', message: whyUnavailable(info.status) });
  else if (info.status.state === 'degraded') problems.push({ kind: 'degraded', message: whyUnavailable(info.status) });
  for (const { name, reason } of info.offers.tools?.rejected ?? []) {
    problems.push({ kind: 'left-out', tool: name, message: `tool '${name}' is unusable: ${reason}` });
  }
  problems.push(...checkTools(info.name, opened), ...otherWarnings(info, opened.warnings));
  return { info, problems };
}

function checkTools(server: string, { tools }: OpenedServers): Finding[] {
  const checker = createArgumentsChecker();
  const own = tools.filter((tool) => tool.server === server);
  return own.flatMap(({ originalName, parameters, warnings = [] }): Finding[] => {
    const suspicious = warnings.map(({ rule, where, excerpt }): Finding => {
      const message = `tool '${originalName}' looks suspicious (${rule}) at ${where}: ${excerpt}`;
      return { kind: 'suspicious', tool: originalName, message };
    });
    const prepared = checker.prepare(parameters);
    if (prepared.kind === 'ready') return suspicious;
    const message = `tool '${originalName}' cannot be called because its schema is invalid: ${prepared.reason}`;
    return [{ kind: 'schema', tool: originalName, message }, ...suspicious];
  });
}

/** Logged warnings about the server that its state and its tool list do not already report. */
function otherWarnings({ name }: KnownServer, warnings: readonly LogEntry[]): Finding[] {
  return warnings
    .filter(({ event, fields }) => fields.server === name && !reportedElsewhere.has(event))
    .map(({ event, message, fields }) => {
      const tool = typeof fields.tool === 'string' ? fields.tool : undefined;
      return { kind: kinds.get(event) ?? 'warning', tool, message };
    });
}

const reportedElsewhere = new Set([
  'server.skipped',
  'connection.list-failed',
  'connection.item-rejected',
  'catalog.tool-flagged',
]);
const kinds = new Map<string, FindingKind>([
  ['catalog.tool-gone', 'gone'],
  ['catalog.tool-unusable', 'left-out'],
  ['catalog.tool-refused', 'not-configured'],
]);

function reportInvalid(error: ToolwharfError, terminal: Terminal, isJson: boolean): number {
  const { file, problems = [] } = error.data as { readonly file?: string; readonly problems?: readonly Problem[] };
  if (isJson) {
    const found = problems.length > 0 ? problems : [{ path: '', message: error.message }];
    terminal.print(jsonText({ ok: false, config: { file, problems: found }, problems: [], servers: [] }));
    return exitCodes.config;
  }
  const { colors } = terminal;
  if (problems.length === 0) terminal.print(oneLine(error.message));
  for (const problem of problems) terminal.print(`${colors.red('✖')} ${problemLine(problem)}`);
  terminal.print(
    `${colors.red(`${count(Math.max(1, problems.length), 'problem')} found`)} in the configuration; no server was started`,
  );
  return exitCodes.config;
}

interface Report {
  readonly config: string;
  readonly general: readonly Finding[];
  readonly checked: readonly CheckedServer[];
  readonly total: number;
}

function print({ config, general, checked, total }: Report, terminal: Terminal): void {
  const { colors, width } = terminal;
  const warn = (text: string) => {
    const [first = '', ...rest] = wrap(terminal.name(oneLine(text)), width - 4);
    terminal.print([`  ${colors.yellow('!')} ${first}`, ...rest.map((line) => `    ${line}`)].join('\n'));
  };
  terminal.print(`${colors.dim('configuration')}  ${oneLine(config)}`);
  for (const { message } of general) warn(message);
  const nameWidth = Math.max(0, ...checked.map(({ info }) => widthOf(oneLine(info.name))));
  for (const { info, problems } of checked) {
    const mark = info.enabled ? (problems.length === 0 ? colors.green('✔') : colors.red('✖')) : colors.dim('–');
    const name = colors.bold(pad(oneLine(info.name), nameWidth));
    terminal.print(`${mark} ${name}  ${paintState(colors, info)(stateOf(info))}${colors.dim(factsOf(info))}`);
    for (const { message } of problems) warn(message);
  }
  const affected = checked.filter(({ problems }) => problems.length > 0).length;
  const where = affected > 0 ? ` in ${count(affected, 'server')}` : '';
  if (total === 0) terminal.print(colors.green('No problems found'));
  else terminal.print(colors.red(`${count(total, 'problem')} found${where}`));
}

function factsOf(info: KnownServer): string {
  const { transport, era, connectMs } = info.status;
  const facts = [
    describeTools(info),
    [transport, era].filter(Boolean).join(', '),
    connectMs === undefined ? undefined : duration(connectMs),
  ];
  return facts.map((fact) => (fact ? `  ${fact}` : '')).join('');
}

function toJson({ info, problems }: CheckedServer) {
  const { name, required, mode, status, offers, usableTools } = info;
  const { reason, transport, era, connectMs } = status;
  return {
    name,
    state: stateOf(info),
    reason,
    required,
    mode,
    transport,
    era,
    connectMs,
    tools: offers.tools?.count,
    usableTools,
    problems,
  };
}
