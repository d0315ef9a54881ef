import type { z } from 'zod';
import type { callSchema } from '../../gateway/api/schemas/calls.ts';
import type { EventData } from '../../gateway/api/schemas/events.ts';
import type { GatewayClient } from '../backend/gateway-client.ts';
import { requireGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { findById } from '../find-item.ts';
import { ago, duration, jsonText, oneLine, shortId } from '../terminal/format.ts';
import { printList } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { followEvents } from './events.ts';

type CallView = z.input<typeof callSchema>;

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
  const gateway = await requireGateway(context);
  const { server, tool, status, end, caller, parent, since } = filters;
  const query = { server, tool, status, end, caller, parent, since: since && toTime(since), limit };
  const { calls } = await fetchCalls(gateway, query);
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
      STATUS: (call) => waits.get(call.id) ?? statusOf(call),
      DURATION: durationOf,
      ARGUMENTS: (call) => jsonText(call.arguments, { indent: 0 }),
    },
    main: ['ID', 'TIME', 'TOOL', 'STATUS', 'DURATION'],
    optional: ['ARGUMENTS', 'CALLER'],
  });
  return exitCodes.ok;
}

/** `toolwharf calls show`: prints a call with its arguments and result. */
export async function showCall(id: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const call = await gateway.get<CallView>(pathOf((await findCall(id, gateway)).id));
  if (json) terminal.print(jsonText(call));
  else printCall(call, terminal);
  return exitCodes.ok;
}

/** `toolwharf calls cancel`: cancels a call that has not ended. */
export async function cancelCall(id: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  const { id: full, tool } = await findCall(id, gateway);
  await gateway.post(`${pathOf(full)}/cancel`);
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

function fetchCalls(
  gateway: GatewayClient,
  query: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly calls: readonly CallView[] }> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return gateway.get(`/api/calls?${new URLSearchParams(given)}`);
}

/** The call with that id, or the only recent one whose id starts with it. */
async function findCall(id: string, gateway: GatewayClient): Promise<Pick<CallView, 'id' | 'tool'>> {
  if (/^[0-9a-f-]{36}$/i.test(id)) return gateway.get<CallView>(pathOf(id));
  return findById(id, (await fetchCalls(gateway, { limit: '500' })).calls, 'recent call');
}

function pathOf(call: string): string {
  return `/api/calls/${encodeURIComponent(call)}`;
}

/** The approvals and questions that open calls wait for, by the id of the call. */
async function findWaits(calls: readonly CallView[], gateway: GatewayClient): Promise<ReadonlyMap<string, string>> {
  if (!calls.some(({ status }) => status === 'pending' || status === 'running')) return new Map();
  type Waiting = { readonly callId?: string };
  const [{ approvals }, { questions }] = await Promise.all([
    gateway.get<{ readonly approvals: readonly Waiting[] }>('/api/approvals?status=pending'),
    gateway.get<{ readonly questions: readonly Waiting[] }>('/api/questions'),
  ]);
  return new Map([
    ...approvals.map(({ callId = '' }) => [callId, 'awaiting approval'] as const),
    ...questions.map(({ callId = '' }) => [callId, 'awaiting input'] as const),
  ]);
}

/** Clearer words for some ends. */
const endWords: Partial<Record<NonNullable<CallView['end']>, string>> = {
  tool: 'tool error',
  timeout: 'timed out',
  'unknown-outcome': 'unknown outcome',
};

function statusOf({ status, end }: Pick<CallView, 'status' | 'end'>): string {
  return end === undefined ? status : (endWords[end] ?? end);
}

function durationOf({ startedAt, completedAt }: Pick<CallView, 'startedAt' | 'completedAt'>): string {
  if (startedAt === undefined || completedAt === undefined) return '';
  return duration(Date.parse(completedAt) - Date.parse(startedAt));
}

/** The ISO time of a duration before now, such as `2h`, or of a date. */
function toTime(text: string): string {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? ''];
  const ms = unitMs === undefined ? Date.parse(text) : Date.now() - Number(number) * unitMs;
  if (Number.isNaN(ms))
    throw new UsageError('--since must be a time such as 2026-11-16T08:00:00Z, or a duration such as 2h');
  return new Date(ms).toISOString();
}

function printCall(call: CallView, terminal: Terminal): void {
  const { colors } = terminal;
  const { id, kind, server, originalName, caller, parent, createdAt, error, result } = call;
  const fields = {
    id,
    kind,
    server,
    tool: originalName,
    caller: caller.name ?? caller.id,
    parent: parent && `${parent.kind} ${parent.id}`,
    status: statusOf(call),
    created: `${createdAt} (${ago(createdAt)})`,
    duration: durationOf(call),
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
