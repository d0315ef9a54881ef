import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { DataFlow } from '../../contract/api/data-flows.ts';
import { approvalScopes, ruleAudiences } from '../../contract/approvals.ts';
import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ApprovalConfig } from '../../contract/settings/config.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { canonicalJson, hashOf } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller, Progress } from '../kernel/tool.ts';
import { abortable } from '../kernel/wait.ts';
import {
  type AnswerReach,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  type ApproverFunction,
  type AskPlugins,
  withPluginApprovers,
} from '../policy/approval.ts';
import type { RememberedRule, RuleStore } from '../policy/remembered-rules.ts';
import type { AllowFlow } from '../policy/review.ts';
import type { CallHost, RunningCall } from './call.ts';
import type { RecordedApproval } from './call-record.ts';
import { isLeaseLost } from './journal.ts';

/** A tool and the arguments that need approval. */
export interface ApprovalQuestion {
  readonly entry: CatalogEntry;
  /** The arguments as people may see them. */
  readonly args: JsonObject;
  /** The arguments of the call, if people may not see them all. */
  readonly hidden?: JsonObject;
  /** Edited arguments as people may see them. */
  readonly show?: (edited: JsonObject) => JsonObject;
  readonly reason: string;
  /** The plugin whose policy requires the approval. */
  readonly policy?: string;
  /** The rules of the plugin that require it. */
  readonly policyRules?: readonly string[];
  /** The data flows that require it. */
  readonly flows?: readonly DataFlow[];
  readonly approval: Pick<ApprovalConfig, 'approvers' | 'expiresMs'>;
  /** What the server wants while it runs the call, if that is the question. */
  readonly access?: string;
}

export interface ApprovalPorts {
  readonly approver: Approver | undefined;
  /** Asks the approvers of plugins too; undefined if there are none. */
  readonly askPlugins?: () => AskPlugins | undefined;
  /** Stores the data flows that a person allowed; undefined if no plugin does. */
  readonly allowFlow?: () => AllowFlow | undefined;
  readonly rules: RuleStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the call durable before a person sees it. */
  readonly onWaiting: (call: RunningCall) => Promise<void>;
  /** The approval is stored, so that another process could wait for it. */
  readonly onRegistered?: (call: RunningCall, approval: string) => Promise<void>;
  readonly onAsked: (request: ApprovalRequest) => void;
  /** `isExpired`: nobody answered in time. */
  readonly onAnswered: (request: ApprovalRequest, answer: ApprovalAnswer, isExpired: boolean) => void;
  /** The person accepted a changed definition permanently. */
  readonly onAccepted: (entry: CatalogEntry) => Promise<void>;
}

/** The approver of a toolbox: the one in its options, or else its host; undefined if neither answers approvals. */
export function approverOf(host: CallHost, approver?: Approver | ApproverFunction): Approver | undefined {
  if (typeof approver === 'function') return { ask: async (request, signal) => approver(request, { signal }) };
  if (approver) return approver;
  if (!host.approve) return undefined;
  return {
    ask: async (request, signal, callHost) => host.approve?.(request, signal, callHost) as Promise<ApprovalAnswer>,
  };
}

/**
 * Asks for approval of one exact call. Resolves with the arguments to run. Rejects with `CALL_DENIED` unless allowed, and with
 * `APPROVAL_FAILED` if the approver fails.
 */
export async function askApproval(
  call: RunningCall,
  question: ApprovalQuestion,
  ports: ApprovalPorts,
): Promise<JsonObject> {
  const { entry, args, reason } = question;
  const { host, caller } = call;
  const approver = findApprover(call, ports);
  if (!approver) throw denied(call, entry, `${reason}, and no approver is available`);
  await ports.onWaiting(call);
  call.setState('awaiting-approval');
  const report = (progress: Progress) => call.notifyHost(() => host.onProgress?.(progress));
  using _progress = reportWaiting(host.onProgress && report);
  const resume = call.pauseClocks();
  try {
    const asked = toRequest(call, question, ports.clock.now());
    const registered = await register(approver, asked, call, question.approval.expiresMs, ports.log);
    const request = registered ?? asked;
    if (registered) await ports.onRegistered?.(call, request.id);
    call.approval = request;
    ports.onAsked(request);
    call.emit({ type: 'approval-asked', request });
    call.emitOutwards({ type: 'step-asked', request });
    const { answer, isExpired } = await answerInTime(approver, request, call, question.approval.expiresMs, ports.log);
    if (answer.kind === 'allow' && answer.scope === 'flow' && request.flows) await ports.allowFlow?.()?.(request);
    const rule = toRule(request.id, answer, entry, caller, ports.clock.now());
    // Stored before anyone hears of the answer: it can be taken back at once.
    if (rule) await ports.rules.add(rule);
    call.approval = undefined;
    if (!isExpired) call.record = { ...call.record, approval: toRecorded(request, answer, call.record.approval) };
    const shown = showAnswer(answer, question);
    ports.onAnswered(request, shown, isExpired);
    call.emit({ type: 'approval-answered', request, answer: shown, isExpired });
    call.emitOutwards({ type: 'step-answered', request });
    if (isExpired) throw expired(call, entry, question.approval.expiresMs);
    if (answer.kind === 'deny') throw denied(call, entry, answer.reason ?? 'the answer was no');
    // Pins are shared by all callers.
    if (entry.changed && rule?.audience === 'everyone' && !rule.matching) await (call.read ?? ports).onAccepted(entry);
    return answer.arguments ?? args;
  } finally {
    const { approval: withdrawn } = call;
    call.approval = undefined;
    if (withdrawn) call.emitOutwards({ type: 'step-answered', request: withdrawn });
    resume();
  }
}

function findApprover({ host }: RunningCall, ports: ApprovalPorts): Approver | undefined {
  const own = approverOf(host) ?? ports.approver;
  const askPlugins = ports.askPlugins?.();
  return askPlugins ? withPluginApprovers(own, askPlugins) : own;
}

/**
 * Asks for approval of something that a server wants while it runs a call. The time limit of the call waits. Resolves with the answer,
 * of which nothing is remembered.
 */
export async function askForAccess(
  call: RunningCall,
  question: ApprovalQuestion,
  signal: AbortSignal,
  ports: ApprovalPorts,
): Promise<ApprovalAnswer> {
  const approver = findApprover(call, ports);
  if (!approver) return { kind: 'deny', reason: 'no approver is available' };
  const resume = call.pauseClocks();
  try {
    const asked = toRequest(call, question, ports.clock.now());
    const waiting = { signal: AbortSignal.any([call.signal, signal]), host: call.host };
    const { expiresMs } = question.approval;
    const request = (await register(approver, asked, waiting, expiresMs, ports.log)) ?? asked;
    ports.onAsked(request);
    const { answer, isExpired } = await answerInTime(approver, request, waiting, expiresMs, ports.log);
    ports.onAnswered(request, answer, isExpired);
    return answer;
  } finally {
    resume();
  }
}

function showAnswer(answer: ApprovalAnswer, { show }: ApprovalQuestion): ApprovalAnswer {
  if (answer.kind !== 'allow' || !isObject(answer.arguments) || !show) return answer;
  return { ...answer, arguments: show(answer.arguments) };
}

/** The key of this process: people who see the hash of arguments must not be able to guess the hidden ones. */
const hashKey = randomBytes(32);

/** Equal for equal arguments. Hidden ones are equal only within a process, so that an answer never counts for other secrets. */
function hashArguments({ args, hidden, access }: ApprovalQuestion, extraParams: JsonObject | undefined): string {
  if (access !== undefined) return hashOf([args, access]);
  if (!hidden) return hashOf(extraParams ? [args, extraParams] : args);
  const secrets = createHmac('sha256', hashKey).update(canonicalJson(hidden)).digest('hex');
  return hashOf([args, secrets, ...(extraParams ? [extraParams] : [])]);
}

/** Sends "Waiting for approval" as progress, at once and every ten seconds, to keep the client's timeout from ending the call. */
export function reportWaiting(onProgress: ((progress: Progress) => void) | undefined, intervalMs = 10_000): Disposable {
  // Far below any progress a tool reports, so that the reported progress only increases.
  const step = 1e-6;
  let reports = 0;
  const report = () => onProgress?.({ progress: reports++ * step, message: 'Waiting for approval' });
  const timer = onProgress && setInterval(report, intervalMs).unref();
  report();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function register(
  approver: Approver,
  request: ApprovalRequest,
  { signal: cancelled, host }: Pick<RunningCall, 'signal' | 'host'>,
  expiresMs: number,
  log: Log,
): Promise<ApprovalRequest | undefined> {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(expiresMs)]);
  const registering = (async () => approver.register?.(request))();
  try {
    return await abortable(registering, signal);
  } catch (cause) {
    // A question that is stored too late is withdrawn.
    if (signal.aborted) registering.then((late) => late && approver.ask(late, signal, host)).catch(() => {});
    cancelled.throwIfAborted();
    throw toApprovalError(cause, request, log);
  }
}

async function answerInTime(
  approver: Approver,
  request: ApprovalRequest,
  { signal: cancelled, host }: Pick<RunningCall, 'signal' | 'host'>,
  expiresMs: number,
  log: Log,
): Promise<{ readonly answer: ApprovalAnswer; readonly isExpired: boolean }> {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(expiresMs)]);
  signal.throwIfAborted();
  // Approvers may be untyped code, which throws or returns something else than a promise.
  const asking = (async () => checkAnswer(await approver.ask(request, signal, host)))();
  try {
    return { answer: await abortable(asking, signal), isExpired: false };
  } catch (cause) {
    cancelled.throwIfAborted();
    const isExpired = signal.aborted || (cause instanceof ToolwharfError && cause.code === 'APPROVAL_EXPIRED');
    if (isExpired) return { answer: { kind: 'deny', reason: noAnswerWithin(expiresMs) }, isExpired };
    throw toApprovalError(cause, request, log);
  }
}

/** Anything but a valid answer is a denial. A rule with an invalid pattern would fail every later call of its tool. */
function checkAnswer(answer: ApprovalAnswer | undefined): ApprovalAnswer {
  if (answer?.kind !== 'allow' && answer?.kind !== 'deny')
    return { kind: 'deny', reason: "the approver's answer was neither { kind: 'allow' } nor { kind: 'deny' }" };
  const wrong = Object.entries(answerMembers).find(([name, isValid]) => {
    const value: unknown = answer[name as keyof ApprovalAnswer];
    return value !== undefined && !isValid(value);
  });
  return wrong ? { kind: 'deny', reason: `the approver's answer has an invalid \`${wrong[0]}\`` } : answer;
}

const isText = (value: unknown) => typeof value === 'string';
const answerMembers: Readonly<Record<keyof AnswerReach | 'reason', (value: unknown) => boolean>> = {
  scope: (value) => approvalScopes.includes(value as never),
  audience: (value) => ruleAudiences.includes(value as never),
  matching: (value) => isObject(value) && Object.values(value).every(isText),
  by: isText,
  reason: isText,
};

/** The failure of an approver. Errors of Toolwharf, such as a limit, a lost lease or a store that fails, say themselves what they are. */
function toApprovalError(cause: unknown, { callId, tool }: ApprovalRequest, log: Log): ToolwharfError {
  if (!isLeaseLost(cause))
    log.error('approval.failed', `The approver failed for ${tool}: ${messageOf(cause)}`, { call: callId });
  if (cause instanceof ToolwharfError) return cause;
  const message = `The call to ${tool} was not made, because its approver failed: ${messageOf(cause)}`;
  return new ToolwharfError('APPROVAL_FAILED', message, { cause, data: { tool } });
}

function toRequest(
  { id, caller, record: { step, parent, extraParams } }: RunningCall,
  question: ApprovalQuestion,
  now: number,
): ApprovalRequest {
  const { entry, args, reason, policy, policyRules, flows, approval, access } = question;
  const extra = extraParams && `; the request has more members: ${JSON.stringify(extraParams)}`;
  return {
    id: randomUUID(),
    callId: id,
    ...(step && parent && { script: { call: parent.id, step: step.number } }),
    caller,
    server: entry.server,
    tool: entry.name,
    originalName: entry.originalName,
    description: entry.definition.description ?? '',
    annotations: entry.definition.annotations,
    arguments: args,
    argumentsHash: hashArguments(question, extraParams),
    definitionHash: entry.definitionHash,
    ...(entry.serverAddress !== undefined && { serverHash: hashOf(entry.serverAddress) }),
    reason: extra ? `${reason}${extra}` : reason,
    ...(policy !== undefined && { policy }),
    ...(policyRules && { policyRules }),
    ...(flows && { flows }),
    ...(access !== undefined && { access }),
    change: entry.changes,
    approvers: approval.approvers,
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + approval.expiresMs).toISOString(),
  };
}

/** The rule that an answer creates, with the id of its approval; undefined for an answer about this call only. */
function toRule(
  id: string,
  answer: ApprovalAnswer,
  entry: CatalogEntry,
  caller: Caller,
  now: number,
): RememberedRule | undefined {
  const { kind, scope = 'once', matching, by } = answer;
  if (scope === 'once' || scope === 'flow') return undefined;
  const audience = scope === 'conversation' ? 'conversation' : (answer.audience ?? 'caller');
  if (audience === 'conversation' && caller.conversation === undefined) return undefined;
  const { serverAddress, server, originalName, definitionHash } = entry;
  return {
    id,
    scope,
    answer: kind,
    audience,
    serverAddress,
    server,
    tool: scope === 'server' ? undefined : originalName,
    definitionHash: scope === 'server' ? undefined : definitionHash,
    conversation: audience === 'conversation' ? caller.conversation : undefined,
    caller: audience === 'caller' ? caller.id : undefined,
    callerName: audience === 'caller' ? caller.name : undefined,
    matching,
    createdBy: by,
    createdAt: new Date(now).toISOString(),
  };
}

function toRecorded(
  { id, arguments: args }: ApprovalRequest,
  answer: ApprovalAnswer,
  before: RecordedApproval | undefined,
): RecordedApproval {
  const isEdited = answer.kind === 'allow' && answer.arguments !== undefined;
  const originalArguments = before?.originalArguments ?? (isEdited ? args : undefined);
  return { id, answer: answer.kind, by: answer.by, originalArguments };
}

function denied({ calledAs }: RunningCall, entry: CatalogEntry, why: string): ToolwharfError {
  return new ToolwharfError('CALL_DENIED', `The call to ${calledAs} was denied: ${why}`, {
    data: { tool: entry.name },
  });
}

function expired({ calledAs }: RunningCall, entry: CatalogEntry, expiresMs: number): ToolwharfError {
  const message = `The call to ${calledAs} was not made: ${noAnswerWithin(expiresMs)}`;
  return new ToolwharfError('APPROVAL_EXPIRED', message, { data: { tool: entry.name } });
}

const noAnswerWithin = (expiresMs: number) => `no answer within ${Math.round(expiresMs / 1_000)} s`;
