import { type AiSdkModelOutput, toAiSdkOutput } from '../bridges/shared/ai-sdk-output.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { CallPolicy } from '../invocation/authorize.ts';
import { failureResult } from '../invocation/shape-result.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Caller, Progress, Tool, ToolResult } from '../kernel/tool.ts';
import { toDisplayText } from '../policy/display-text.ts';
import type { ToolCallPart } from '../storage/ports/conversation-store.ts';
import type { ChatPorts } from './chat-ports.ts';
import type { Draft } from './draft.ts';
import { keepResult } from './keep-result.ts';
import type { OpenedModel } from './models/models.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface RunCallsOptions {
  readonly toolbox: Pick<ChatPorts['toolbox'], 'start' | 'entry'>;
  readonly hostFor: ChatPorts['hostFor'];
  readonly draft: Draft;
  readonly opened: OpenedModel;
  readonly caller: Caller;
  /** What the assistant may do with a tool, at the time of asking. */
  readonly policyFor: (entry: CatalogEntry) => CallPolicy;
  /** The tools the assistant has now. */
  readonly tools: readonly Tool[];
  /** What the model is told, by the call's id. */
  readonly outputs: Map<string, AiSdkModelOutput>;
  readonly stopwatch: Stopwatch;
  readonly signal: AbortSignal;
  /** What ends the answer, if anything does: once it is closed, so that it can go on later, calls that never ran stay as they are. */
  readonly ending: () => 'stopped' | 'closed' | undefined;
  /** A call's status is another than before. */
  readonly onStatus: () => void;
  readonly now: () => string;
}

const progressIntervalMs = 100;

/** Runs calls that stand in the draft as `waiting`, side by side. What goes wrong with a call is its result; rejects only when that can't be kept. */
export async function runCalls(indexes: readonly number[], options: RunCallsOptions): Promise<void> {
  // Two equal calls share one question to the person, whose answer is good for one of them: they go one after the other.
  const equal = Map.groupBy(indexes, (index) => keyOf(options.draft, index));
  await Promise.all(
    [...equal.values()].map(async (same) => {
      for (const index of same) await runCall(index, options);
    }),
  );
  await options.draft.save();
}

async function runCall(index: number, options: RunCallsOptions): Promise<void> {
  const { draft, toolbox, hostFor, opened, caller, stopwatch, signal, ending, onStatus, now } = options;
  const part = draft.parts[index];
  if (part?.type !== 'tool-call') return;
  const { callId = '', tool: name = '' } = part;
  const entry = options.tools.some((tool) => tool.name === name) ? toolbox.entry(name) : undefined;
  if (ending() === 'closed') return;
  if (!entry) return end(failureResult(callId, 'TOOL_NAME_INVALID', `The tool ${name} is not there any more`));
  if (ending() === 'stopped')
    return end(failureResult(callId, 'CALL_CANCELLED', 'The tool was not called: the answer ended'));
  let hasRun = false;
  let shownAt = 0;
  let endWork = stopwatch.begin();
  const call = toolbox.start(entry, part.arguments, {
    id: callId,
    caller,
    host: hostFor({ id: callId, caller }, opened),
    parent: { kind: 'answer', id: draft.message.id },
    policy: options.policyFor(entry),
    refreshPolicy: () => options.policyFor(entry),
    signal,
  });
  call.subscribe((event) => {
    if (event.type === 'approval-asked') {
      endWork();
      draft.changePart(index, { status: 'asked', approvalId: event.request.id });
      onStatus();
    } else if (event.type === 'approval-answered') {
      endWork = stopwatch.begin();
      draft.changePart(index, { status: 'waiting', approvalId: undefined });
      onStatus();
    } else if (event.type === 'state' && event.state === 'running' && !hasRun) {
      hasRun = true;
      // A person may have edited the arguments.
      const { arguments: args, startedAt } = event.record;
      draft.changePart(index, { status: 'running', arguments: { ...args }, startedAt });
      onStatus();
    } else if (event.type === 'progress' && hasRun && performance.now() - shownAt >= progressIntervalMs) {
      shownAt = performance.now();
      draft.changePart(index, { progress: toShown(event.progress) });
    }
  });
  const result = await call.result;
  endWork();
  if (ending() === 'closed' && !hasRun && result.failure?.code === 'CALL_CANCELLED') return;
  end(result);
  onStatus();

  function end(result: ToolResult): void {
    options.outputs.set(callId, toAiSdkOutput(result, opened.takesMedia ? undefined : () => false));
    const ended = { status: statusOf(result), result: keepResult(result), completedAt: now() };
    draft.changePart(index, { ...ended, approvalId: undefined, progress: undefined });
  }
}

function statusOf({ isError, failure }: ToolResult): ToolCallPart['status'] {
  if (!isError) return 'success';
  if (failure?.code === 'CALL_DENIED' || failure?.code === 'TOOL_CHANGED') return 'denied';
  return failure?.code === 'CALL_CANCELLED' ? 'cancelled' : 'error';
}

/** A server's word on how far it is, as far as it is one. */
function toShown({ progress, total, message }: Progress): ToolCallPart['progress'] {
  return {
    progress: Number(progress) || 0,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: toDisplayText(message, { maxLength: 500 }) }),
  };
}

function keyOf({ parts }: Draft, index: number): string {
  const part = parts[index];
  return part?.type === 'tool-call' ? canonicalJson([part.tool ?? null, part.arguments]) : String(index);
}
