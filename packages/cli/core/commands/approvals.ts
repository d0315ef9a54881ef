import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalView } from '../../../contract/api/approvals.ts';
import type { ApprovalAnswer } from '../../../contract/api-types.ts';
import { messageOf } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { listPendingApprovals } from '../../../contract/list-pending-approvals.ts';
import type { AnswerReach } from '../../../toolwharf/policy/approval.ts';
import { describeArguments } from '../../../toolwharf/policy/describe-arguments.ts';
import { askPatternsOf, type GatewayClient } from '../client/gateway-client.ts';
import { isAnswered } from '../client/request-prompts.ts';
import { requireGateway } from '../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { findById } from '../find-item.ts';
import { count, jsonText, oneLine, shortId, until } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';
import { promptForScript } from '../terminal/script-approvals.ts';
import { type PendingApproval, promptForApproval, rulesNote } from '../terminal/terminal-approver.ts';

const pollMs = 1_000;

interface ScriptOption extends JsonOption {
  /** Answers for all pending calls of the script that makes the call. */
  readonly script?: boolean;
}

export interface ApprovalsOptions extends JsonOption {
  readonly watch?: boolean;
}

/** `toolwharf approvals`: lists the calls awaiting approval, or watches for them. */
export async function approvals(options: ApprovalsOptions, context: CommandContext): Promise<number> {
  const gateway = await requireGateway(context);
  if (options.watch) return watchApprovals(options, gateway, context);
  const { terminal } = context;
  const pending = options.json ? await listPending(gateway) : await readPending(gateway);
  printList(terminal, pending, {
    json: options.json,
    empty: 'No calls are awaiting approval.',
    columns: {
      ID: ({ id }) => shortId(id),
      TOOL: ({ tool }) => tool,
      CALLER: ({ caller }) => caller.name ?? caller.id,
      EXPIRES: ({ expiresAt }) => until(expiresAt),
      // A table on a terminal cuts its columns, which would hide arguments.
      ...(!terminal.isPerson && { ARGUMENTS: argumentsOf }),
    },
    main: ['ID', 'TOOL', 'EXPIRES'],
  });
  if (terminal.isPerson && !options.json)
    for (const approval of pending) terminal.print(`${shortId(approval.id)}  ${argumentsOf(approval)}`);
  if (!options.json && pending.length > 0) {
    const hint = `${count(pending.length, 'call')} awaiting approval; answer with \`toolwharf approvals allow ID\` or \`deny ID\``;
    terminal.say(terminal.noteColors.dim(hint));
  }
  return exitCodes.ok;
}

/** `toolwharf approvals allow`: lets a call run. */
export async function allowApproval(
  id: string,
  options: Pick<AnswerReach, 'scope' | 'audience'> & ScriptOption & { readonly args?: string },
  context: CommandContext,
): Promise<number> {
  const { scope, audience, args, json, script } = options;
  if (script && args !== undefined) throw new UsageError('--args is for a single call: omit --script');
  const edited = args === undefined ? undefined : parseArguments(args);
  return answerApproval(id, { answer: 'allow', scope, audience, arguments: edited }, { json, script }, context);
}

/** `toolwharf approvals deny`: denies a call and sends the caller the reason. */
export async function denyApproval(
  id: string,
  {
    scope,
    audience,
    reason,
    json,
    script,
  }: Pick<AnswerReach, 'scope' | 'audience'> & ScriptOption & { readonly reason?: string },
  context: CommandContext,
): Promise<number> {
  const denial = { answer: 'deny', scope, audience, reason: reason || undefined } as const;
  return answerApproval(id, denial, { json, script }, context);
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
    const pending = await listPending(gateway);
    if (isInteractive) for (const group of groupByScript(pending)) await promptForAll(group);
    for (const approval of pending) {
      if (seen.has(approval.id)) continue;
      seen.add(approval.id);
      if (isInteractive) await prompt(approval.isPreview ? await readApproval(gateway, approval.id) : approval);
      else if (json) terminal.print(jsonText(approval, { indent: 0 }));
      else {
        const args = argumentsOf(approval.isPreview ? await readApproval(gateway, approval.id) : approval);
        terminal.print(`${shortId(approval.id)}  ${oneLine(approval.tool)}  ${args}`);
      }
    }
    await sleep(pollMs, undefined, { signal });
  }
  return exitCodes.ok;

  /** Prompts for one answer to the calls of a script that were not shown before. */
  async function promptForAll(group: readonly ApprovalView[]): Promise<void> {
    const calls = group.filter(({ id }) => !seen.has(id));
    // A preview hides large arguments: the person reviews such a call on its own.
    if (calls.length < 2 || calls.some(({ isPreview }) => isPreview)) return;
    const script = await gateway.getCall({ path: { call: String(calls[0]?.script?.call) } });
    const { code } = script.arguments;
    const closed = new AbortController();
    const watching = abortWhenAnswered(calls, gateway, closed);
    try {
      const answer = await promptForScript(
        terminal,
        calls as readonly PendingApproval[],
        typeof code === 'string' ? code : undefined,
        AbortSignal.any([signal, closed.signal]),
      );
      if (closed.signal.aborted) {
        terminal.note('Some of these calls were answered elsewhere, or their approval expired.');
        for (const id of await answeredOf(calls, gateway)) seen.add(id);
        return await promptForAll(group);
      }
      if (answer === 'each') return;
      for (const { id } of calls) seen.add(id);
      if (answer) await postAnswers(gateway, calls, { answer });
      else if (!signal.aborted) terminal.note(`Postponed: ${count(calls.length, 'call')}`);
    } finally {
      closed.abort();
      await watching;
    }
  }

  /** Prompts for one answer; the prompt closes if another answer comes first or the approval expires. */
  async function prompt(approval: ApprovalView): Promise<void> {
    const closed = new AbortController();
    const watching = abortWhenAnswered([approval], gateway, closed);
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

/** Aborts when one of the calls was answered or its approval expired. */
async function abortWhenAnswered(
  calls: readonly Pick<ApprovalView, 'id'>[],
  gateway: GatewayClient,
  closed: AbortController,
): Promise<void> {
  const { signal } = closed;
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const answered = await answeredOf(calls, gateway).catch(() => []);
    if (answered.length > 0) closed.abort();
  }
}

/** The ids of those approvals that are no longer pending. */
async function answeredOf(
  approvals: readonly Pick<ApprovalView, 'id'>[],
  gateway: GatewayClient,
): Promise<readonly string[]> {
  const pending = new Set((await listPending(gateway)).map(({ id }) => id));
  // The list is limited: an approval that is not in it may still be pending.
  const missing = approvals.filter(({ id }) => !pending.has(id));
  const read = await Promise.all(missing.map(({ id }) => readApproval(gateway, id)));
  return read.filter(({ status }) => status !== 'pending').map(({ id }) => id);
}

function readApproval(gateway: GatewayClient, id: string): Promise<ApprovalView> {
  return gateway.getApproval({ path: { approval: id } });
}

/** The pending approvals with all their arguments. */
async function readPending(gateway: GatewayClient): Promise<readonly ApprovalView[]> {
  const pending = await listPending(gateway);
  return Promise.all(pending.map((one) => (one.isPreview ? readApproval(gateway, one.id) : one)));
}

/** The arguments on one line. Long values are shortened, and none is left out. */
function argumentsOf({ arguments: args }: Pick<ApprovalView, 'arguments'>): string {
  return describeArguments(args, { maxLength: 1_900 }) ?? 'too many to be shown here: use --json';
}

async function listPending(gateway: GatewayClient): Promise<readonly ApprovalView[]> {
  return (await listPendingApprovals(gateway)).toReversed();
}

async function answerApproval(
  id: string,
  answer: ApprovalAnswer,
  options: ScriptOption,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireGateway(context);
  const pending = await listPending(gateway);
  const found = findById(id, pending, 'pending approval');
  const done = answer.answer === 'allow' ? 'Allowed' : 'Denied';
  if (options.script) {
    if (found.script === undefined)
      throw new UsageError(`No script makes the call ${shortId(found.id)}: omit --script`);
    const script = found.script.call;
    const calls = pending.filter((one) => one.script?.call === script);
    await postAnswers(gateway, calls, answer);
    const ids = calls.map((call) => call.id);
    printDone(context.terminal, options, `${done}: ${count(calls.length, 'call')}`, {
      ids,
      script,
      ...answer,
    });
    return exitCodes.ok;
  }
  await postAnswer(gateway, found.id, answer);
  const { id: full, callId, tool } = found;
  printDone(context.terminal, options, `${done}: ${oneLine(tool)}`, { id: full, callId, tool, ...answer });
  return exitCodes.ok;
}

function groupByScript(pending: readonly ApprovalView[]): readonly (readonly ApprovalView[])[] {
  const made = pending.filter(({ script }) => script !== undefined);
  const groups = Map.groupBy(made, ({ script }) => script?.call);
  return [...groups.values()].map((group) => group.toSorted((a, b) => (a.script?.step ?? 0) - (b.script?.step ?? 0)));
}

const maxAnswers = 200;

async function postAnswers(
  gateway: GatewayClient,
  calls: readonly ApprovalView[],
  answer: ApprovalAnswer,
): Promise<void> {
  for (let at = 0; at < calls.length; at += maxAnswers) {
    const answers = calls.slice(at, at + maxAnswers).map(({ id }) => ({ approval: id, answer }));
    await gateway.answerApprovals({ body: { answers } });
  }
}

async function postAnswer(gateway: GatewayClient, id: string, answer: ApprovalAnswer): Promise<void> {
  await gateway.answerApproval({ path: { approval: id }, body: answer });
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
