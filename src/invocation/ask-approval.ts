import { randomUUID } from 'node:crypto';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ApprovalConfig } from '../config/config.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/clock.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller, Progress } from '../kernel/tool.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  type AskPlugins,
  withPluginApprovers,
} from '../policy/approval.ts';
import type { RememberedRule, RuleStore } from '../policy/remembered-rules.ts';
import type { RunningCall } from './call.ts';
import type { RecordedApproval } from './call-record.ts';

/** A tool and the arguments that need approval. */
export interface ApprovalQuestion {
  readonly entry: CatalogEntry;
  readonly args: JsonObject;
  readonly reason: string;
  /** The plugin whose policy requires the approval. */
  readonly policy?: string;
  readonly approval: ApprovalConfig;
}

export interface ApprovalPorts {
  readonly approver: Approver | undefined;
  /** Asks the approvers of plugins too; undefined if there are none. */
  readonly askPlugins?: () => AskPlugins | undefined;
  readonly rules: RuleStore;
  readonly clock: Clock;
  /** Makes the call durable before a person sees it. */
  readonly onWaiting: (call: RunningCall) => Promise<void>;
  /** The approval is stored, so that another process could wait for it. */
  readonly onRegistered?: (call: RunningCall, approval: string) => Promise<void>;
  readonly onAsked: (request: ApprovalRequest) => void;
  readonly onAnswered: (request: ApprovalRequest, answer: ApprovalAnswer) => void;
  /** The person accepted a changed definition permanently. */
  readonly onAccepted: (entry: CatalogEntry) => Promise<void>;
}

/** Asks for approval of one exact call. Resolves with the arguments to run; rejects with `CALL_DENIED` unless allowed. */
export async function askApproval(
  call: RunningCall,
  question: ApprovalQuestion,
  ports: ApprovalPorts,
): Promise<JsonObject> {
  const { entry, args, reason } = question;
  const { host, caller } = call;
  const own = host.approve ? { ask: host.approve } : ports.approver;
  const askPlugins = ports.askPlugins?.();
  const approver = askPlugins ? withPluginApprovers(own, askPlugins) : own;
  if (!approver) throw denied(call, entry, `${reason}, and no approver is available`);
  await ports.onWaiting(call);
  call.setState('awaiting-approval');
  using _progress = reportWaiting(host.onProgress?.bind(host));
  const resume = call.pauseClocks();
  try {
    const asked = toRequest(call, question, ports.clock.now());
    const registered = await approver.register?.(asked);
    const request = registered ?? asked;
    if (registered) await ports.onRegistered?.(call, request.id);
    call.approval = request;
    ports.onAsked(request);
    call.emit({ type: 'approval-asked', request });
    call.emitOutwards({ type: 'step-asked', request });
    const answer = await answerInTime(approver, request, call, question.approval.expiresMs);
    call.approval = undefined;
    call.record = { ...call.record, approval: toRecorded(request, answer, call.record.approval) };
    ports.onAnswered(request, answer);
    call.emit({ type: 'approval-answered', request, answer });
    call.emitOutwards({ type: 'step-answered', request });
    const rule = toRule(answer, entry, caller, ports.clock.now());
    if (rule) await ports.rules.add(rule);
    if (answer.kind === 'deny') throw denied(call, entry, answer.reason ?? 'the answer was no');
    // Pins are shared by all callers.
    if (entry.changed && rule?.audience === 'everyone' && !rule.matching) await ports.onAccepted(entry);
    return answer.arguments ?? args;
  } finally {
    const { approval: withdrawn } = call;
    call.approval = undefined;
    if (withdrawn) call.emitOutwards({ type: 'step-answered', request: withdrawn });
    resume();
  }
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

async function answerInTime(
  approver: Approver,
  request: ApprovalRequest,
  call: RunningCall,
  expiresMs: number,
): Promise<ApprovalAnswer> {
  const expiry = AbortSignal.timeout(expiresMs);
  const signal = AbortSignal.any([call.signal, expiry]);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      if (call.signal.aborted) reject(call.signal.reason);
      else resolve({ kind: 'deny', reason: `no answer within ${Math.round(expiresMs / 1_000)} s` });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    approver
      .ask(request, signal, call.host)
      .then(
        (answer) => resolve(checkAnswer(answer)),
        () => (signal.aborted ? onAbort() : resolve({ kind: 'deny', reason: 'the question could not be asked' })),
      )
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Approvers may be untyped code: anything but a valid answer is a denial. */
function checkAnswer(answer: ApprovalAnswer | undefined): ApprovalAnswer {
  if (answer?.kind === 'allow' || answer?.kind === 'deny') return answer;
  return { kind: 'deny', reason: "the approver's answer was neither { kind: 'allow' } nor { kind: 'deny' }" };
}

function toRequest(
  { id, caller, record: { step, parent } }: RunningCall,
  question: ApprovalQuestion,
  now: number,
): ApprovalRequest {
  const { entry, args, reason, policy, approval } = question;
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
    argumentsHash: hashOf(args),
    definitionHash: entry.definitionHash,
    reason,
    ...(policy !== undefined && { policy }),
    change: entry.changes,
    approvers: approval.approvers,
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + approval.expiresMs).toISOString(),
  };
}

/** The rule that an answer creates; undefined for an answer about this call only. */
function toRule(answer: ApprovalAnswer, entry: CatalogEntry, caller: Caller, now: number): RememberedRule | undefined {
  const { kind, scope = 'once', matching, by } = answer;
  if (scope === 'once') return undefined;
  const audience = scope === 'conversation' ? 'conversation' : (answer.audience ?? 'caller');
  if (audience === 'conversation' && caller.conversation === undefined) return undefined;
  const { serverAddress, server, originalName, definitionHash } = entry;
  return {
    id: randomUUID(),
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
