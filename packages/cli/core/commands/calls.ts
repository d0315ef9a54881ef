import type { EventData } from '../../../contract/api/events.ts';
import type { Call } from '../../../contract/api-types.ts';
import { listPendingApprovals } from '../../../contract/list-pending-approvals.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { requireStored } from '../client/open-stored.ts';
import { requireGateway } from '../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { findById } from '../find-item.ts';
import { ago, duration, jsonText, oneLine, shortId } from '../terminal/format.ts';
import { printList } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeSource } from '../terminal/terminal-approver.ts';
import { followEvents } from './events.ts';

export interface CallsOptions extends JsonOption {
  readonly server?: string;
  readonly tool?: string;
  readonly status?: string;
  readonly end?: string;
  readonly caller?: string;
  readonly parent?: string;
  readonly since?: string;
  readonly limit?: string;
}

/** `toolwharf calls`: lists the latest calls in the gateway's journal, newest first. */
export async function listCalls(
  { json, limit = '50', ...filters }: CallsOptions,
  context: CommandContext,
): Promise<number> {
  if (!/^[1-9]\d{0,2}$/.test(limit)) throw new UsageError('--limit must be a number from 1 to 999');
  const gateway = await requireStored(context);
  const { server, tool, status, end, caller, parent, since } = filters;
  const { calls } = await gateway.listCalls({
    query: {
      ...{ server, tool, end, caller, parent },
      // The gateway rejects an unknown status.
      status: status as Call['status'] | undefined,
      since: since && toTime(since),
      limit: Number(limit),
    },
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const waits = json ? new Map<string, string>() : await findWaits(calls, gateway);
  printList(context.terminal, calls, {
    json,
    empty: isFiltered ? 'No calls match.' : 'No calls yet. Call a tool with `toolwharf call NAME`.',
    columns: {
      ID: ({ id }) => shortId(id),
      TIME: ({ createdAt }) => ago(createdAt),
      TOOL: (call) => call.tool,
      CALLER: (call) => call.caller.name ?? call.caller.id,
      CLIENT: ({ caller }) => clientOf(caller),
      STATUS: (call) => waits.get(call.id) ?? statusOf(call),
      DURATION: durationOf,
      ARGUMENTS: (call) => jsonText(call.arguments, { indent: 0 }),
    },
    main: ['ID', 'TIME', 'TOOL', 'STATUS', 'DURATION'],
    optional: ['ARGUMENTS', 'CLIENT', 'CALLER'],
  });
  return exitCodes.ok;
}

/** `toolwharf calls show`: prints a call with its arguments and result. */
export async function showCall(id: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireStored(context);
  const call = await gateway.getCall({ path: { call: (await findCall(id, gateway)).id } });
  if (json) terminal.print(jsonText(call));
  else printCall(call, terminal);
  return exitCodes.ok;
}

/** `toolwharf calls cancel`: cancels a call that has not ended. */
export async function cancelCall(id: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  const { id: full, tool } = await findCall(id, gateway);
  await gateway.cancelCall({ path: { call: full } });
  context.terminal.print(json ? jsonText({ id: full, tool }) : `Cancelled: ${oneLine(tool)}`);
  return exitCodes.ok;
}

/** `toolwharf calls follow`: prints each call as it starts and ends, until Ctrl-C. */
export async function followCalls(
  { json, server, tool }: Pick<CallsOptions, 'json' | 'server' | 'tool'>,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  return followEvents(gateway, context, (name, data) => {
    if (name !== 'call.changed') return;
    const call = data as EventData<'call.changed'>;
    if ((server !== undefined && call.server !== server) || (tool !== undefined && call.tool !== tool)) return;
    const facts = [shortId(call.id), statusOf(call).padEnd(15), durationOf(call).padStart(7), oneLine(call.tool)];
    const about = call.error
      ? oneLine(call.error.message)
      : call.arguments
        ? jsonText(call.arguments, { indent: 0 })
        : '';
    terminal.print(json ? jsonText(call, { indent: 0 }) : [...facts, about].join('  ').trimEnd());
  });
}

/** The call with that id, or the only recent one whose id starts with it. */
export async function findCall(id: string, gateway: GatewayClient): Promise<Pick<Call, 'id' | 'tool'>> {
  if (/^[0-9a-f-]{36}$/i.test(id)) return gateway.getCall({ path: { call: id } });
  return findById(id, (await gateway.listCalls({ query: { limit: 500 } })).calls, 'recent call');
}

/** The approvals and questions that open calls wait for, by the id of the call. */
async function findWaits(calls: readonly Call[], gateway: GatewayClient): Promise<ReadonlyMap<string, string>> {
  if (!calls.some(({ status }) => status === 'pending' || status === 'running')) return new Map();
  const [approvals, { questions }] = await Promise.all([listPendingApprovals(gateway), gateway.listQuestions()]);
  return new Map([
    ...approvals.map(({ callId = '' }) => [callId, 'awaiting approval'] as const),
    ...questions.map(({ callId = '' }) => [callId, 'awaiting input'] as const),
  ]);
}

/** Clearer words for some ends. */
const endWords: Partial<Record<NonNullable<Call['end']>, string>> = {
  expired: 'no answer',
  tool: 'tool error',
  timeout: 'timed out',
  'unknown-outcome': 'unknown outcome',
};

function statusOf({ status, end }: Pick<Call, 'status' | 'end'>): string {
  return end === undefined ? status : (endWords[end] ?? end);
}

function durationOf({ startedAt, completedAt }: Pick<Call, 'startedAt' | 'completedAt'>): string {
  if (startedAt === undefined || completedAt === undefined) return '';
  return duration(Date.parse(completedAt) - Date.parse(startedAt));
}

/** The ISO time of a duration before now, such as `2h`, or of a date. */
export function toTime(text: string): string {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? ''];
  const ms = unitMs === undefined ? Date.parse(text) : Date.now() - Number(number) * unitMs;
  if (Number.isNaN(ms))
    throw new UsageError('--since must be a time such as 2026-11-16T08:00:00Z, or a duration such as 2h');
  return new Date(ms).toISOString();
}

/** The program of a caller with its version; empty if the program did not name itself. */
function clientOf({ client }: Call['caller']): string {
  return client ? [client.name, client.version].filter(Boolean).join(' ') : '';
}

/** What a rule of the policy decided, or would have decided: `deny by no-evil`. */
export function describeRule({ id, effect, mode, failed }: NonNullable<Call['policy']>[number]): string {
  const notes = [mode === 'shadow' && 'shadow', failed && 'the condition has no value'].filter(Boolean).join(', ');
  return `${effect} by ${id}${notes && ` (${notes})`}`;
}

/** What was done with values of a call: `2 email masked in results`. */
function describeDetection({ class: kind, action, direction, count }: NonNullable<Call['redaction']>[number]): string {
  return `${count} ${kind} ${redactionVerbs[action]} in ${direction}`;
}

const redactionVerbs = { detect: 'detected', mask: 'masked', block: 'blocked', restore: 'restored' };

function printCall(call: Call, terminal: Terminal): void {
  const { colors } = terminal;
  const { id, kind, server, originalName, caller, parent, createdAt, error, result } = call;
  const fields = {
    id,
    kind,
    server,
    tool: originalName,
    caller: caller.name ?? caller.id,
    client: clientOf(caller),
    parent: parent && `${parent.kind} ${parent.id}`,
    status: statusOf(call),
    created: `${createdAt} (${ago(createdAt)})`,
    duration: durationOf(call),
    profile: call.profile,
    policy: call.policy?.map(describeRule).join(', '),
    labels: call.labels?.join(', '),
    data: call.sources?.map((source) => `${source.labels.join(', ')} of ${describeSource(source)}`).join('; '),
    redaction: call.redaction?.map(describeDetection).join(', '),
    error: error && `${error.code}: ${error.message}`,
  };
  terminal.print(colors.bold(oneLine(call.tool)));
  for (const [name, value] of Object.entries(fields)) {
    if (value) terminal.print(`  ${colors.dim(name.padEnd(10))}${oneLine(value)}`);
  }
  terminal.print(`${colors.dim('Arguments')}\n${jsonText(call.arguments)}`);
  if (result) terminal.print(`${colors.dim('Result')}\n${jsonText(result)}`);
  if (call.truncated) terminal.note(`The result is truncated: ${call.truncated.totalBytes} bytes in total`);
}
