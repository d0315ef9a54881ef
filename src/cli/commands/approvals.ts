import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalView } from '../../gateway/api/schemas/approvals.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { AnswerReach } from '../../policy/approval.ts';
import { askPatternsOf, type GatewayClient } from '../backend/gateway-client.ts';
import { isAnswered } from '../backend/request-prompts.ts';
import { requireGateway } from '../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { findById } from '../find-item.ts';
import { count, jsonText, oneLine, shortId, until } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';
import { type PendingApproval, promptForApproval, rulesNote } from '../terminal/terminal-approver.ts';

const pollMs = 1_000;

export interface ApprovalsOptions extends JsonOption {
  readonly watch?: boolean;
}

/** `toolwharf approvals`: lists the calls awaiting approval, or watches for them. */
export async function approvals(options: ApprovalsOptions, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  if (options.watch) return watchApprovals(options, gateway, context);
  const { terminal } = context;
  const pending = await listPending(gateway);
  printList(terminal, pending, {
    json: options.json,
    empty: 'No calls are awaiting approval.',
    columns: {
      ID: ({ id }) => shortId(id),
      TOOL: ({ tool }) => tool,
      CALLER: ({ caller }) => caller.name ?? caller.id,
      EXPIRES: ({ expiresAt }) => until(expiresAt),
      ARGUMENTS: (approval) => jsonText(approval.arguments, { indent: 0 }),
    },
  });
  if (!options.json && pending.length > 0) {
    const hint = `${count(pending.length, 'call')} awaiting approval; answer with \`toolwharf approvals allow ID\` or \`deny ID\``;
    terminal.note(terminal.noteColors.dim(hint));
  }
  return exitCodes.ok;
}

/** `toolwharf approvals allow`: lets a call run. */
export async function allowApproval(
  id: string,
  { scope, audience, args, json }: Pick<AnswerReach, 'scope' | 'audience'> & JsonOption & { readonly args?: string },
  context: CommandContext,
): Promise<number> {
  const edited = args === undefined ? undefined : parseArguments(args);
  return answerApproval(id, { answer: 'allow', scope, audience, arguments: edited }, { json }, context);
}

/** `toolwharf approvals deny`: denies a call and sends the caller the reason. */
export async function denyApproval(
  id: string,
  {
    scope,
    audience,
    reason,
    json,
  }: Pick<AnswerReach, 'scope' | 'audience'> & JsonOption & { readonly reason?: string },
  context: CommandContext,
): Promise<number> {
  return answerApproval(id, { answer: 'deny', scope, audience, reason: reason || undefined }, { json }, context);
}

/** Shows each call as it arrives and, at a terminal, prompts for the answer, until Ctrl-C. */
async function watchApprovals(
  { json }: JsonOption,
  gateway: GatewayClient,
  { terminal, env, signal }: CommandContext,
): Promise<number> {
  const seen = new Set<string>();
  const isInteractive = terminal.canAsk && !json;
  const askPatterns = isInteractive ? await askPatternsOf(gateway) : [];
  if (isInteractive)
    terminal.note(terminal.noteColors.dim('Waiting for calls that need approval. Press Ctrl-C to exit.'));
  while (!signal.aborted) {
    for (const approval of await listPending(gateway)) {
      if (seen.has(approval.id)) continue;
      seen.add(approval.id);
      if (isInteractive) await prompt(approval.isPreview ? await readApproval(gateway, approval.id) : approval);
      else if (json) terminal.print(jsonText(approval, { indent: 0 }));
      else {
        const args = jsonText(approval.arguments, { indent: 0 });
        terminal.print(`${shortId(approval.id)}  ${oneLine(approval.tool)}  ${args}`);
      }
    }
    await sleep(pollMs, undefined, { signal });
  }
  return exitCodes.ok;

  /** Prompts for one answer; the prompt closes if another answer comes first or the approval expires. */
  async function prompt(approval: ApprovalView): Promise<void> {
    const closed = new AbortController();
    const watching = abortWhenAnswered(approval.id, gateway, closed);
    try {
      const options = { rememberedNote: rulesNote, askPatterns, extended: { env }, canPostpone: true };
      const ending = AbortSignal.any([signal, closed.signal]);
      const prompted = await promptForApproval(terminal, approval as PendingApproval, options, ending);
      const { kind, ...answer } = prompted ?? { kind: undefined };
      if (closed.signal.aborted) terminal.note('This call was answered elsewhere, or its approval expired.');
      else if (kind) await postAnswer(gateway, approval.id, { answer: kind, ...answer });
      else if (!signal.aborted) terminal.note(`Postponed: ${shortId(approval.id)}`);
    } catch (cause) {
      // Another answer came between the last poll and this one.
      if (!isAnswered(cause)) throw cause;
      terminal.note(messageOf(cause));
    } finally {
      closed.abort();
      await watching;
    }
  }
}

async function abortWhenAnswered(id: string, gateway: GatewayClient, closed: AbortController): Promise<void> {
  const { signal } = closed;
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const now = await readApproval(gateway, id).catch(() => undefined);
    if (now && now.status !== 'pending') closed.abort();
  }
}

function readApproval(gateway: GatewayClient, id: string): Promise<ApprovalView> {
  return gateway.get<ApprovalView>(`/api/approvals/${encodeURIComponent(id)}`);
}

async function listPending(gateway: GatewayClient): Promise<readonly ApprovalView[]> {
  const path = '/api/approvals?status=pending&limit=500';
  const { approvals: newestFirst } = await gateway.get<{ readonly approvals: readonly ApprovalView[] }>(path);
  return newestFirst.toReversed();
}

async function answerApproval(
  id: string,
  answer: { readonly answer: 'allow' | 'deny' } & Readonly<Record<string, unknown>>,
  options: JsonOption,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireGateway(context);
  const found = findById(id, await listPending(gateway), 'pending approval');
  await postAnswer(gateway, found.id, answer);
  const done = answer.answer === 'allow' ? 'Allowed' : 'Denied';
  const { id: full, callId, tool } = found;
  printDone(context.terminal, options, `${done}: ${oneLine(tool)}`, { id: full, callId, tool, ...answer });
  return exitCodes.ok;
}

async function postAnswer(gateway: GatewayClient, id: string, answer: object): Promise<void> {
  await gateway.post(`/api/approvals/${encodeURIComponent(id)}/answer`, answer);
}

function parseArguments(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--args is not valid JSON: ${messageOf(cause)}`);
  }
  if (isObject(value)) return value;
  throw new UsageError('--args must be a JSON object');
}
