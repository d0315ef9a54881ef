import { randomUUID } from 'node:crypto';
import type { EventData } from '../../../contract/api/events.ts';
import type { ToolView } from '../../../contract/api/tools.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { readDuration } from '../../../contract/settings/durations.ts';
import { createDeadline, type Deadline } from '../../../toolwharf/invocation/deadline.ts';
import { failureResult } from '../../../toolwharf/invocation/shape-result.ts';
import type { Progress, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import type { Approver } from '../../../toolwharf/policy/approval.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { oneLine, shortId } from '../terminal/format.ts';
import { createTerminalApprover, rulesNote } from '../terminal/terminal-approver.ts';
import { createTerminalLock } from '../terminal/terminal-lock.ts';
import { askPatternsOf, type GatewayClient } from './gateway-client.ts';
import { createRequestPrompts } from './request-prompts.ts';

export interface CallOptions {
  readonly timeout: CallTimeout;
  readonly onProgress: (progress: Progress) => void;
}

export interface CallOutcome {
  readonly result: ToolResult;
  /** Whether the person at the terminal denied the call. */
  readonly isDeniedHere: boolean;
}

/** Calls a tool of a gateway. At a terminal, prompts for approvals and for questions of the server. A failed call is a result. */
export async function callTool(
  gateway: GatewayClient,
  { name }: Pick<ToolView, 'name'>,
  args: JsonObject,
  options: CallOptions,
  context: CommandContext,
): Promise<CallOutcome> {
  const callId = randomUUID();
  const watched = await watchCall(callId, gateway, options, context);
  const ending = AbortSignal.any([context.signal, options.timeout.start(name)]);
  try {
    const body = { arguments: args, callId };
    const result = await gateway.callTool({ path: { tool: name }, body, signal: ending });
    return { result: result as ToolResult, isDeniedHere: false };
  } catch (cause) {
    const failure = ending.aborted ? ending.reason : cause;
    // An unknown tool or invalid credentials are not the result of a call.
    const isCallFailure = failure instanceof ToolwharfError && (ending.aborted || 'callId' in failure.data);
    if (!isCallFailure) throw failure;
    const { code, message, data } = failure;
    return { result: failureResult(callId, code, message, data), isDeniedHere: watched.isDeniedHere() };
  } finally {
    watched.stop();
  }
}

interface WatchedCall {
  /** Whether the person at the terminal denied the call. */
  isDeniedHere(): boolean;
  stop(): void;
}

/**
 * Follows the events of a call that is about to be sent to the gateway, and of its child calls: shows progress, and prompts for
 * approvals and questions, or says how to answer them if there is no terminal.
 */
async function watchCall(
  callId: string,
  gateway: GatewayClient,
  { timeout, onProgress }: CallOptions,
  { terminal, env }: CommandContext,
): Promise<WatchedCall> {
  const stopped = new AbortController();
  const callIds = new Set([callId]);
  /** Resumes the time limit, by the id of the request that the call waits for. */
  const waiting = new Map<string, () => void>();
  let isDenied = false;
  const askPatterns = terminal.canAsk ? await askPatternsOf(gateway).catch(() => []) : [];
  const person = createTerminalApprover(terminal, () => ({
    rememberedNote: rulesNote,
    askPatterns,
    extended: { env },
  }));
  const approver: Approver = {
    async ask(request, signal) {
      const answer = await person.ask(request, signal);
      isDenied = !signal.aborted && answer.kind === 'deny';
      return answer;
    },
  };
  const prompts = createRequestPrompts({ gateway, terminal, lock: createTerminalLock(), approver });

  function askApproval({ id, tool }: EventData<'approval.asked'>): void {
    if (terminal.canAsk) void prompts.promptForApproval(id);
    else {
      const short = shortId(id);
      terminal.say(`${oneLine(tool)} awaits approval: run \`toolwharf approvals allow ${short}\` or \`deny ${short}\``);
    }
  }

  async function askQuestion({ id, server }: EventData<'question.asked'>): Promise<void> {
    if (!terminal.canAsk) return terminal.say(`Server '${oneLine(server)}' asks a question: answer it in the app`);
    const { questions } = await gateway.listQuestions();
    const question = questions.find((candidate) => candidate.id === id);
    if (question) await prompts.promptForQuestion(question);
  }

  function receive(event: string | undefined, data: string): void {
    const value = JSON.parse(data) as { readonly id: string; readonly callId?: string };
    const isOurs = value.callId !== undefined && callIds.has(value.callId);
    switch (event) {
      case 'call.changed': {
        const { id, parent } = value as EventData<'call.changed'>;
        if (parent && callIds.has(parent.id)) callIds.add(id);
        break;
      }
      case 'call.progressed':
        if (value.id === callId) onProgress(value as EventData<'call.progressed'>);
        break;
      case 'approval.asked':
      case 'question.asked':
        if (!isOurs) break;
        waiting.set(value.id, timeout.pause());
        if (event === 'approval.asked') askApproval(value as EventData<'approval.asked'>);
        else askQuestion(value as EventData<'question.asked'>).catch(() => {});
        break;
      case 'approval.answered':
      case 'approval.withdrawn':
      case 'question.answered':
        waiting.get(value.id)?.();
        waiting.delete(value.id);
        prompts.close(value.id);
    }
  }

  const events = await gateway.listenToEvents({ signal: stopped.signal });
  async function follow(): Promise<void> {
    for await (const { event, data } of events) receive(event, data);
  }
  // Without events, the call goes on; its approvals can be answered elsewhere.
  follow().catch(() => {});

  return {
    isDeniedHere: () => isDenied,
    stop() {
      stopped.abort();
      prompts.stop();
    },
  };
}

/** The time limit of `--timeout`. Time that a person takes to answer does not count. */
interface CallTimeout extends Disposable {
  /** Starts the clock; the signal aborts with `CALL_TIMED_OUT`, or never if there is no limit. */
  start(tool: string): AbortSignal;
  /** Stops the clock while the call waits for a person; the returned function resumes it. */
  pause(): () => void;
}

/** Parses `--timeout`; throws a `UsageError` if it is not a positive duration. */
export function createCallTimeout(timeout?: string): CallTimeout {
  const ms = timeout === undefined ? undefined : parse(timeout);
  let deadline: Deadline | undefined;
  return {
    start(tool) {
      const controller = new AbortController();
      if (ms === undefined) return controller.signal;
      const message = `${tool} did not finish within ${timeout} (--timeout)`;
      deadline = createDeadline(ms, () => controller.abort(new ToolwharfError('CALL_TIMED_OUT', message)));
      return controller.signal;
    },
    pause: () => deadline?.pause() ?? (() => {}),
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

function parse(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}
