import { type Message, TaskState } from '@a2a-js/sdk';
import { toA2aParts } from '../../bridges/a2a.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ProfileConfig } from '../../config/config.ts';
import type { Call } from '../../invocation/call.ts';
import type { InternalStartOptions } from '../../invocation/invoker.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller, Progress, ToolResult } from '../../kernel/tool.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { AppHosts } from '../calls/app-hosts.ts';
import { createPacer } from '../calls/pacer.ts';
import type { View } from '../mcp/view.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';
import type { Traces } from '../traces/traces.ts';
import type { LiveTask } from './live-task.ts';

export interface RunPorts {
  readonly toolbox: Pick<InternalToolbox, 'start'>;
  readonly hosts: AppHosts;
  readonly questions: Pick<PendingQuestions, 'list'>;
  readonly traces: Traces;
}

/** The call that a message requests. */
export interface TaskCall {
  /** The name that the caller used. */
  readonly tool: string;
  /** Undefined if the tool does not exist or is hidden from this caller. */
  readonly entry: CatalogEntry | undefined;
  readonly arguments: unknown;
  readonly message: Message;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** True for tools that the caller may use, also from within a chain. */
  readonly mayUse: View['hasTool'];
  readonly refreshPolicy: InternalStartOptions['refreshPolicy'];
  readonly callerLimits: InternalStartOptions['callerLimits'];
  /** The trace context of the caller. */
  readonly traceparent: string | undefined;
}

/** Runs the call and updates the task. Resolves with the approximate size of the result in bytes. */
export async function runTask(live: LiveTask, asked: TaskCall, ports: RunPorts): Promise<number> {
  const result = await makeCall(live, asked, ports);
  live.addMetadata({ 'toolwharf/call': result.callId });
  const { failure } = result;
  if (failure) {
    live.setState(stateFor(failure.code), failure.message, { 'toolwharf/code': failure.code });
    return failure.message.length;
  }
  const parts = toA2aParts(result);
  live.setArtifact({
    artifactId: 'result',
    name: asked.tool,
    description: '',
    parts,
    metadata: result._meta,
    extensions: [],
  });
  live.setState(result.isError ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_COMPLETED);
  const { content, structuredContent, _meta } = result;
  return measureJson({ content, structuredContent, _meta }, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 600 })
    .bytes;
}

async function makeCall(
  live: LiveTask,
  asked: TaskCall,
  { toolbox, hosts, questions, traces }: RunPorts,
): Promise<ToolResult> {
  const { tool, entry, message, caller, profile } = asked;
  const callId = live.id;
  if (!entry) return failureResult(callId, 'TOOL_NAME_INVALID', `There is no skill '${tool}'`);
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': callId };
  const span = traces.start(`a2a ${entry.name}`, asked.traceparent, about);
  const meta: JsonObject | undefined = span.traceparent === undefined ? undefined : { traceparent: span.traceparent };
  const call = toolbox.start(entry, asked.arguments, {
    id: callId,
    calledAs: tool,
    caller,
    host: hosts.create({ id: callId, caller }),
    policy: { approval: profile.approval, mayUse: asked.mayUse },
    refreshPolicy: asked.refreshPolicy,
    callerLimits: asked.callerLimits,
    // The prefix separates message ids from idempotency keys that the same caller uses over other protocols.
    idempotencyKey: `a2a/${message.messageId}`,
    meta,
  });
  observe(call, live, questions);
  const result = await call.result;
  span.end({ isError: result.isError, message: result.failure?.code });
  return result;
}

/** Updates the task with the pending approvals, questions and progress of the call. */
function observe(call: Call, live: LiveTask, questions: RunPorts['questions']): void {
  const progress = createPacer<string>(100, (text) => {
    if (call.state === 'running') live.setState(TaskState.TASK_STATE_WORKING, text);
  });
  call.subscribe((event) => {
    if (event.type === 'approval-asked') {
      const { id, reason, expiresAt } = event.request;
      const text = `Waiting for approval: ${reason}. The task continues once a person answers, and is rejected if nobody does by ${expiresAt}.`;
      live.setState(TaskState.TASK_STATE_AUTH_REQUIRED, text, { 'toolwharf/approval': id });
    } else if (event.type === 'approval-answered') {
      live.setState(TaskState.TASK_STATE_WORKING, 'The approval was answered');
    } else if (event.type === 'state' && event.state === 'awaiting-input') {
      const text = `Server '${event.record.server}' asks a question during this call: answer it in the app or over the API.`;
      const question = questions.list().find(({ callId }) => callId === call.id);
      live.setState(TaskState.TASK_STATE_WORKING, text, question && { 'toolwharf/question': question.id });
    } else if (event.type === 'progress') progress.push(toText(event.progress));
  });
}

/** A task is rejected if its call never started and a retry would fail in the same way. */
function stateFor(code: string): TaskState {
  if (code === 'CALL_CANCELLED') return TaskState.TASK_STATE_CANCELED;
  return rejections.has(code) ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED;
}

const rejections = new Set([
  'ARGUMENTS_INVALID',
  'CALL_DENIED',
  'IDEMPOTENCY_CONFLICT',
  'TOOL_CHANGED',
  'TOOL_NAME_INVALID',
]);

function toText({ progress, total, message }: Progress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ?? done;
}
