import { type ErrorCode, ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { ToolCallPart } from '../../../contract/records/conversation.ts';
import { type AiSdkModelOutput, toAiSdkOutput } from '../../../toolwharf/bridges/shared/ai-sdk-output.ts';
import { toolAppOf } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { runCodeName } from '../../../toolwharf/features/scripts/code-tools.ts';
import { runCodeEntry } from '../../../toolwharf/features/scripts/run-code-entry.ts';
import { isSearchTool } from '../../../toolwharf/features/search/search-tools.ts';
import type { CallPolicy } from '../../../toolwharf/invocation/authorize.ts';
import type { CallEvent } from '../../../toolwharf/invocation/call.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import { showArguments } from '../../../toolwharf/invocation/prepare-arguments.ts';
import { failureResult } from '../../../toolwharf/invocation/shape-result.ts';
import { canonicalJson } from '../../../toolwharf/kernel/canonical-json.ts';
import type { Caller, Progress, Tool, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { ChatPorts } from './chat.ts';
import type { Draft } from './draft.ts';
import { type ModelSkills, readSkillTool, toFailedRead, toSkillResult } from './model-skills.ts';
import type { ModelTools } from './model-tools.ts';
import type { OpenedModel } from './models/models.ts';
import type { AnswerEnd } from './outcomes.ts';
import type { Stopwatch } from './stopwatch.ts';
import { toStoredResult } from './stored-result.ts';
import { endScript, findOpenScript } from './unfinished-calls.ts';

export interface RunCallsOptions {
  readonly toolbox: Pick<ChatPorts['toolbox'], 'start' | 'catalog' | 'skills'>;
  readonly hostFor: ChatPorts['hostFor'];
  /** Knows the scripts that a process which is gone has left open. */
  readonly journal: Pick<Journal, 'get' | 'write'>;
  readonly waitForTools?: ChatPorts['waitForTools'];
  readonly draft: Draft;
  readonly opened: OpenedModel;
  readonly caller: Caller;
  /** The current policy for the assistant's calls of a tool. */
  /** Rejects if the owner of the conversation has lost access. */
  readonly assertAccess: () => Promise<void>;
  readonly policyFor: (entry: CatalogEntry) => CallPolicy;
  /** The current policy for the skills that the assistant reads. */
  readonly readPolicy: () => CallPolicy;
  /** The assistant's current tools. */
  readonly tools: ModelTools;
  /** Results for the model, by call id. */
  readonly outputs: Map<string, AiSdkModelOutput>;
  readonly stopwatch: Stopwatch;
  readonly signal: AbortSignal;
  /** How the answer was ended, if it was. When `closed`, calls that never ran stay pending, so that the answer can continue later. */
  readonly endedBy: () => AnswerEnd | undefined;
  /** Called when the status of a call changes. */
  readonly onStatus: () => void;
  readonly now: () => string;
}

const progressIntervalMs = 100;

/** Runs the `waiting` calls of a draft concurrently. A failed call has a failure as its result; rejects only if the draft cannot be stored. */
export async function runCalls(indexes: readonly number[], options: RunCallsOptions): Promise<void> {
  // Identical calls share one approval, which allows only one of them, so they run one after the other.
  const identical = Map.groupBy(indexes, (index) => keyOf(options.draft, index));
  await Promise.all(
    [...identical.values()].map(async (group) => {
      for (const index of group) await runCall(index, options);
    }),
  );
  await options.draft.save();
}

async function runCall(index: number, options: RunCallsOptions): Promise<void> {
  const { draft, toolbox, hostFor, opened, caller, stopwatch, signal, endedBy, onStatus, now } = options;
  const part = draft.parts[index];
  if (part?.type !== 'tool-call') return;
  const { callId = '', tool: name = '' } = part;
  const { all, exposed, search, skills } = options.tools;
  const isScript = exposed === 'code' && name === runCodeName;
  const isOwn = all.some((tool) => tool.name === name);
  const findOwn = () => (isOwn ? toolbox.catalog.find(name) : undefined);
  let entry = isScript ? runCodeEntry(part.arguments) : findOwn();
  if (isOwn && !entry) {
    // A tool that does not arrive is no longer available.
    await options.waitForTools?.(name)?.catch(() => {});
    entry = findOwn();
  }
  /** The approvals that steps of the call wait for. */
  const asked = new Set<string>();
  let hasRun = false;
  let shownAt = 0;
  let endWork = () => {};
  if (endedBy() === 'closed') return;
  const parent = { kind: 'answer', id: draft.message.id } as const;
  if (exposed !== 'all' && isSearchTool(name))
    return end(await search(name, part.arguments, { caller, id: callId, parent }));
  if (skills && name === readSkillTool && endedBy() !== 'stopped') return readSkill(skills);
  const before = !entry || entry.script ? await findOpenScript(callId, options.journal) : undefined;
  if (!entry) return refuse('TOOL_NAME_INVALID', `The tool ${name} is no longer available`);
  if (before && before.definitionHash !== entry.definitionHash)
    return refuse('TOOL_CHANGED', `${name} was changed while its script was interrupted`);
  if (endedBy() === 'stopped') return refuse('CALL_CANCELLED', 'The tool was not called: the answer ended');
  endWork = stopwatch.start();
  const policy = () => (isScript ? forScript(options.policyFor(entry), all) : options.policyFor(entry));
  // The conversation keeps no secrets either.
  const shownArguments = showArguments(entry, part.arguments);
  if (shownArguments !== part.arguments) draft.changePart(index, { arguments: shownArguments });
  const call = toolbox.start(entry, before?.arguments ?? part.arguments, {
    id: callId,
    isIdFree: true,
    caller,
    host: hostFor({ id: callId, caller }, opened),
    parent,
    policy: policy(),
    async refreshPolicy() {
      await options.assertAccess();
      return policy();
    },
    resumed: before && continued(before),
    signal,
  });
  call.subscribe((event) => follow(event));
  // A call that nothing delays runs before anyone can subscribe.
  if (call.state === 'running') follow({ type: 'state', state: 'running', record: call.record });
  const result = await call.result;
  endWork();
  if (endedBy() === 'closed' && !hasRun && result.failure?.code === 'CALL_CANCELLED') return;
  end(result);
  onStatus();

  /** Shows the state of the call in its part. `given`: the arguments of the model, if those of the call are others. */
  function follow(event: CallEvent, given?: JsonObject): void {
    if (event.type === 'approval-asked') {
      endWork();
      draft.changePart(index, { status: 'asked', approvalId: event.request.id });
      onStatus();
    } else if (event.type === 'approval-answered') {
      endWork = stopwatch.start();
      const answered = event.isExpired ? undefined : toAnswered(event);
      draft.changePart(index, { status: 'waiting', approvalId: undefined, answered });
      onStatus();
    } else if (event.type === 'state' && event.state === 'running' && !hasRun) {
      hasRun = true;
      const { arguments: args, startedAt, rule, approval } = event.record;
      // The model must not read the values of its references. An approval may have edited the arguments.
      const edited = given || !approval?.originalArguments ? undefined : { arguments: { ...args } };
      draft.changePart(index, { status: 'running', ...edited, startedAt, rule });
      onStatus();
    } else if (event.type === 'step-asked') {
      if (asked.size === 0) endWork();
      showSteps(asked.add(event.request.id));
    } else if (event.type === 'step-answered') {
      asked.delete(event.request.id);
      if (asked.size === 0) endWork = stopwatch.start();
      showSteps(asked);
    } else if (event.type === 'progress' && hasRun && performance.now() - shownAt >= progressIntervalMs) {
      shownAt = performance.now();
      draft.changePart(index, { progress: toSafeProgress(event.progress) });
    }
  }

  /** Reads are recorded and approved as calls, under the id of the part. */
  async function readSkill({ find }: ModelSkills): Promise<void> {
    const given = part?.type === 'tool-call' ? part.arguments : {};
    const wanted = find(given);
    if ('isError' in wanted) return end({ ...wanted, callId });
    endWork = stopwatch.start();
    try {
      const content = await toolbox.skills.read(wanted.skill, wanted.path, {
        id: callId,
        isIdFree: true,
        caller,
        host: hostFor({ id: callId, caller }, opened),
        parent,
        policy: options.readPolicy(),
        async refreshPolicy() {
          await options.assertAccess();
          return options.readPolicy();
        },
        signal,
        onStarted(read) {
          read.subscribe((event) => follow(event, given));
          if (read.state === 'running') follow({ type: 'state', state: 'running', record: read.record }, given);
        },
      });
      end(toSkillResult(callId, wanted, content));
    } catch (cause) {
      if (endedBy() === 'closed' && !hasRun) return;
      end(toFailedRead(callId, cause));
    }
    endWork();
    onStatus();
  }

  /** Ends the call without starting it, and the script if a process that is gone began it. */
  async function refuse(code: ErrorCode, message: string): Promise<void> {
    if (before) await endScript(before, new ToolwharfError(code, message), options.journal);
    end(failureResult(callId, code, message));
  }

  function showSteps(pending: ReadonlySet<string>): void {
    const isAsking = pending.size > 0;
    draft.changePart(index, {
      status: isAsking ? 'asked' : 'running',
      stepApprovalIds: isAsking ? [...pending] : undefined,
    });
    onStatus();
  }

  function end(result: ToolResult): void {
    options.outputs.set(callId, toAiSdkOutput(result, opened.takesMedia ? undefined : () => false));
    const app = result.isError || !entry ? undefined : toolAppOf(entry.definition).resourceUri;
    const ended = { status: statusOf(result), result: toStoredResult(result), completedAt: now() };
    draft.changePart(index, { ...ended, app, approvalId: undefined, stepApprovalIds: undefined, progress: undefined });
  }
}

/** The record of a script with which another process continues it. */
function continued(record: CallRecord): CallRecord {
  const { script } = record;
  return script ? { ...record, script: { ...script, continued: (script.continued ?? 0) + 1 } } : record;
}

/** A script may call the tools of the assistant. A chain among them may call others, as it may without a script. */
function forScript(policy: CallPolicy, tools: readonly Tool[]): CallPolicy {
  const names = new Set(tools.map(({ name }) => name));
  return { ...policy, mayUse: (tool) => names.has(tool.name) && (policy.mayUse?.(tool) ?? true) };
}

function toAnswered({ request, answer }: Extract<CallEvent, { type: 'approval-answered' }>): ToolCallPart['answered'] {
  const { kind, scope = 'once', audience, by } = answer;
  return { approval: request.id, answer: kind, scope, audience, by };
}

function statusOf({ isError, failure }: ToolResult): ToolCallPart['status'] {
  if (!isError) return 'success';
  if (failure?.code === 'CALL_DENIED' || failure?.code === 'TOOL_CHANGED') return 'denied';
  if (failure?.code === 'APPROVAL_EXPIRED') return 'expired';
  return failure?.code === 'CALL_CANCELLED' ? 'cancelled' : 'error';
}

/** Drops malformed fields of a server's progress. */
function toSafeProgress({ progress, total, message }: Progress): ToolCallPart['progress'] {
  return {
    progress: Number(progress) || 0,
    total: typeof total === 'number' ? total : undefined,
    message: typeof message === 'string' ? toDisplayText(message, { maxLength: 500 }) : undefined,
  };
}

function keyOf({ parts }: Draft, index: number): string {
  const part = parts[index];
  return part?.type === 'tool-call' ? canonicalJson([part.tool ?? null, part.arguments]) : String(index);
}
