import { type Message, TaskState } from '@a2a-js/sdk';
import { toA2aParts } from '../../bridges/a2a.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ProfileConfig } from '../../config/config.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller, Progress, ToolResult } from '../../kernel/tool.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { CallsInFlight } from '../calls/calls-in-flight.ts';
import { createPacer } from '../calls/pacer.ts';
import type { View } from '../mcp/view.ts';
import type { Traces } from '../traces/traces.ts';
import type { LiveTask } from './live-task.ts';

export interface RunPorts {
  readonly calls: Pick<CallsInFlight, 'call'>;
  readonly traces: Traces;
}

/** The call that a message asks for. */
export interface TaskCall {
  /** By the name the caller used. */
  readonly tool: string;
  /** Undefined for a tool that is not there for this caller. */
  readonly entry: CatalogEntry | undefined;
  readonly arguments: unknown;
  readonly message: Message;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** Which tools one that calls others may call for them. */
  readonly mayUse: View['hasTool'];
  /** Of the caller's own trace. */
  readonly traceparent: string | undefined;
}

/** Makes the call and tells the task how it goes, to its end. Resolves with about how many bytes the result holds. */
export async function runTask(live: LiveTask, asked: TaskCall, ports: RunPorts): Promise<number> {
  using pacer = createPacer<Progress>(100, (progress) => {
    // Who waits for a person has been told so, and the call says it again and again.
    if (!live.isInterrupted) live.setState(TaskState.TASK_STATE_WORKING, toWords(progress));
  });
  const result = await makeCall(live.id, asked, ports, pacer.say);
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
  callId: string,
  asked: TaskCall,
  { calls, traces }: RunPorts,
  onProgress: (progress: Progress) => void,
): Promise<ToolResult> {
  const { tool, entry, message, caller, profile } = asked;
  if (!entry) return failureResult(callId, 'TOOL_NAME_INVALID', `There is no skill '${tool}'`);
  const about = { 'mcp.server': entry.server ?? 'local', 'mcp.tool': entry.originalName, 'toolwharf.call': callId };
  const span = traces.start(`a2a ${entry.name}`, asked.traceparent, about);
  const meta: JsonObject | undefined = span.traceparent === undefined ? undefined : { traceparent: span.traceparent };
  const result = await calls.call(entry.name, asked.arguments, {
    callId,
    caller,
    approval: profile.approval,
    mayUse: asked.mayUse,
    // Apart from keys that the same caller uses elsewhere.
    idempotencyKey: `a2a/${message.messageId}`,
    onProgress,
    ...(meta && { meta }),
  });
  span.end({ isError: result.isError, ...(result.failure && { message: result.failure.code }) });
  return result;
}

/** Rejected is what was never begun, for a reason that stays. */
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

function toWords({ progress, total, message }: Progress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ?? done;
}
