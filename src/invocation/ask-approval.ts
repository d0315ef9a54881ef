import { randomUUID } from 'node:crypto';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/clock.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Caller } from '../kernel/tool.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../policy/approval.ts';
import type { RememberedRule, RuleStore } from '../policy/remembered-rules.ts';

export interface AskOptions {
  readonly callId: string;
  readonly entry: CatalogEntry;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly reason: string;
  readonly expiresMs: number;
  readonly signal?: AbortSignal;
}

export interface AskPorts {
  readonly approver: Approver | undefined;
  readonly rules: RuleStore;
  readonly clock: Clock;
  readonly onAsked: (request: ApprovalRequest) => void;
  readonly onAnswered: (request: ApprovalRequest, answer: ApprovalAnswer) => void;
  /** The person said yes to a changed definition for good. */
  readonly onAccepted: (entry: CatalogEntry) => Promise<void>;
}

/** Asks about one exact call. Resolves with the arguments to run with; every kind of no rejects with `CALL_DENIED`. */
export async function askApproval(options: AskOptions, ports: AskPorts): Promise<JsonObject> {
  const { entry, args, reason } = options;
  if (!ports.approver) throw denied(entry, `${reason}, and there is nobody to ask`);
  const question = toRequest(options, ports.clock.now());
  const request = (await ports.approver.register?.(question)) ?? question;
  ports.onAsked(request);
  const answer = await answerWithin(ports.approver, request, options);
  ports.onAnswered(request, answer);
  if (answer.scope && answer.scope !== 'once') await remember(answer, options, ports);
  if (answer.kind === 'deny') throw denied(entry, answer.reason ?? 'the answer was no');
  if (entry.changed && (answer.scope === 'tool' || answer.scope === 'server')) await ports.onAccepted(entry);
  return answer.arguments ?? args;
}

async function answerWithin(
  approver: Approver,
  request: ApprovalRequest,
  options: AskOptions,
): Promise<ApprovalAnswer> {
  const expiry = AbortSignal.timeout(options.expiresMs);
  const signal = options.signal ? AbortSignal.any([options.signal, expiry]) : expiry;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      if (options.signal?.aborted) reject(options.signal.reason);
      else resolve({ kind: 'deny', reason: `nobody answered within ${Math.round(options.expiresMs / 1_000)} s` });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    approver
      .ask(request, signal)
      .then(
        (answer) => resolve(understood(answer)),
        () => (signal.aborted ? onAbort() : resolve({ kind: 'deny', reason: 'the question could not be asked' })),
      )
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Approvers are other people's code, and not all of it is typed: what is not plainly a yes is a no. */
function understood(answer: ApprovalAnswer | undefined): ApprovalAnswer {
  if (answer?.kind === 'allow' || answer?.kind === 'deny') return answer;
  return { kind: 'deny', reason: "the approver's answer was neither { kind: 'allow' } nor { kind: 'deny' }" };
}

function toRequest({ callId, entry, args, caller, reason, expiresMs }: AskOptions, now: number): ApprovalRequest {
  return {
    id: randomUUID(),
    callId,
    caller,
    ...(entry.server !== undefined && { server: entry.server }),
    tool: entry.name,
    originalName: entry.originalName,
    description: entry.definition.description ?? '',
    ...(entry.definition.annotations && { annotations: entry.definition.annotations }),
    arguments: args,
    argumentsHash: hashOf(args),
    definitionHash: entry.definitionHash,
    reason,
    ...(entry.changes && { change: entry.changes }),
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + expiresMs).toISOString(),
  };
}

async function remember(answer: ApprovalAnswer, { entry, caller }: AskOptions, ports: AskPorts): Promise<void> {
  const scope = answer.scope as RememberedRule['scope'];
  if (scope === 'conversation' && caller.conversation === undefined) return;
  await ports.rules.add({
    id: randomUUID(),
    scope,
    answer: answer.kind,
    ...(entry.serverAddress !== undefined && { serverAddress: entry.serverAddress }),
    ...(entry.server !== undefined && { server: entry.server }),
    ...(scope !== 'server' && { tool: entry.originalName, definitionHash: entry.definitionHash }),
    ...(scope === 'conversation' && { conversation: caller.conversation }),
    createdAt: new Date(ports.clock.now()).toISOString(),
  });
}

function denied(entry: CatalogEntry, why: string): ToolwharfError {
  return new ToolwharfError('CALL_DENIED', `The call to ${entry.name} was denied: ${why}`, {
    data: { tool: entry.name },
  });
}
