import { randomUUID } from 'node:crypto';
import type { ModelMessage } from 'ai';
import { isHealthy } from '../../../contract/connections.ts';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Message, MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { AiSdkModelOutput } from '../../../toolwharf/bridges/shared/ai-sdk-output.ts';
import { readModelCall } from '../../../toolwharf/bridges/shared/call-by-provider-name.ts';
import { anyProviderRules } from '../../../toolwharf/bridges/shared/provider-rules.ts';
import { namesIn } from '../../../toolwharf/features/search/search-tools.ts';
import { ownProgram } from '../../../toolwharf/kernel/client-program.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { userOf } from '../../../toolwharf/kernel/user-caller.ts';
import { abortable } from '../../../toolwharf/kernel/wait.ts';
import { assistantCallerId, assistantPolicyFor, createReadPolicy, pickSkills, pickTools } from './assistant-policy.ts';
import { attachmentsOf, loadAttachments } from './attachments.ts';
import type { ChatPorts } from './chat.ts';
import { callTool, createModelTools, type ModelTools, readCalledTool } from './model-tools.ts';
import type { OpenedModel } from './models/models.ts';
import type { OpenConversation } from './open-conversation.ts';
import {
  type AnswerEnd,
  completed,
  endedBy,
  failed,
  limited,
  maxCharacters,
  type Outcome,
  unfinishedTurn,
} from './outcomes.ts';
import { type RunCallsOptions, runCalls } from './run-calls.ts';
import { createStopwatch } from './stopwatch.ts';
import { toStoredResult } from './stored-result.ts';
import { type RequestedCall, type Turn, takeTurn } from './take-turn.ts';
import { type ModelMessageOptions, toModelMessages } from './to-model-messages.ts';
import { endOpenScripts, unfinishedCalls } from './unfinished-calls.ts';
import { addCost, addUsage, costOf, noUsage } from './usage.ts';

/** A running answer. */
export interface AnswerRun {
  /** Resolves when the answer has ended and is stored. Never rejects. */
  readonly done: Promise<void>;
  /** Stops the answer for a user; its pending approvals are denied with this reason. */
  stop(reason: string): Promise<void>;
  /** Stops the answer because the process ends. Calls that only wait for approval stay pending. */
  close(): Promise<void>;
}

export interface AnswerPorts extends ChatPorts {
  readonly now: () => string;
}

const serversTimeoutMs = 30_000;

/** Generates the answer that is the last message of a conversation, or continues it. */
export function startAnswer(open: OpenConversation, ports: AnswerPorts): AnswerRun {
  const { toolbox, storage, models, hostFor, log, now } = ports;
  const draft = open.edit();
  const { id, profile: profileName } = open.conversation;
  const before = open.conversation;
  const { usage: earlier = noUsage, costUsd: earlierCost, durationMs: workedMs = 0 } = draft.message;
  const stopwatch = createStopwatch();
  const outputs = new Map<string, AiSdkModelOutput>();
  const ending = new AbortController();
  const toModelTools = createModelTools(toolbox);
  let end: AnswerEnd | undefined;
  let used = noUsage;
  let costUsd: number | undefined;
  let files: Pick<ModelMessageOptions, 'attachments' | 'takesImages'> = {};

  const assertAccess = async () => ports.assertAccess?.(before);

  async function answer(): Promise<Outcome> {
    if (draft.message.status !== 'streaming')
      draft.change({ status: 'streaming', problem: undefined, completedAt: undefined });
    await assertAccess();
    const assistant = await storage.assistants.get(open.conversation.assistantId);
    if (!assistant) return failed('The assistant of this conversation no longer exists: choose another one.');
    const opened = await models.open(modelOf(assistant));
    draft.change({ model: opened.label });
    files = await loadFiles(assistant);
    const left = unfinishedCalls(draft.parts);
    if (left.length > 0) {
      await waitForTools(await serversOf(left, assistant), toolbox, ending.signal);
      await runCalls(left, callOptions(assistant, opened, await ownTools(assistant)));
    }
    for (let steps = 0; ; steps++) {
      if (end) return endedBy(end);
      const outcome = limitAt(steps, assistant) ?? (await step(assistant, opened));
      if (outcome) return outcome;
    }
  }

  /** The servers of calls. Chains and scripts may call any tool of the assistant. */
  async function serversOf(calls: readonly number[], assistant: Assistant): Promise<readonly string[]> {
    const named = calls.map((index) => (draft.parts[index] as ToolCallPart).server);
    if (named.every((server) => server !== undefined)) return named;
    const names = await ports.serverNames();
    return assistant.serverIds.map((server) => names.get(server) ?? server);
  }

  /** Runs one model turn and the calls it requests; returns an outcome if the answer is complete. */
  async function step(assistant: Assistant, opened: OpenedModel): Promise<Outcome | undefined> {
    await assertAccess();
    const messages = toModelMessages(open.messages, { outputs, takesMedia: opened.takesMedia, ...files });
    if (draft.parts.length > 0 && draft.parts.at(-1)?.type !== 'step') draft.add({ type: 'step' });
    const tools = await ownTools(assistant);
    const turn = await requestTurn(assistant, opened, await redactMessages(messages, assistant), tools);
    if ('status' in turn) return turn;
    used = addUsage(used, { ...turn.usage, estimated: opened.estimatesUsage });
    costUsd = addCost(costUsd, costOf(turn.usage, opened.prices ?? {}));
    draft.change({ usage: addUsage(earlier, used), costUsd: addCost(earlierCost, costUsd) });
    if (turn.end !== 'done') return unfinishedTurn(turn.end, opened);
    if (turn.calls.length === 0 && !draft.parts.some(hasContent))
      return failed(`${opened.label} returned an empty answer. Try again.`);
    if (turn.calls.length === 0) return completed;
    const current = (await waitForMoved(turn.calls, tools)) ? await ownTools(assistant) : tools;
    for (const call of turn.calls) draft.add(toCallPart(call, { tools: current, messages: open.messages, now: now() }));
    await draft.save();
    await runCalls(unfinishedCalls(draft.parts), callOptions(assistant, opened, current));
    return undefined;
  }

  /** What the model wrote itself stays as it is. */
  async function redactMessages(messages: ModelMessage[], assistant: Assistant): Promise<ModelMessage[]> {
    const call = { id: draft.message.id, caller: callerOf(assistant), profile: profileName };
    const received = messages.filter(({ role }) => role !== 'assistant');
    const shown = (await toolbox.redactForModel(call, received)).values();
    return messages.map((message) => (message.role === 'assistant' ? message : (shown.next().value ?? message)));
  }

  /** The model's turn, or the outcome if the turn failed or was stopped. */
  async function requestTurn(
    { instructions, ...assistant }: Assistant,
    opened: OpenedModel,
    messages: ModelMessage[],
    { shown: tools }: ModelTools,
  ): Promise<Turn | Outcome> {
    const tooLong = new AbortController();
    const signal = AbortSignal.any([ending.signal, tooLong.signal]);
    const remainingTokens = (assistant.maxTokens ?? Number.POSITIVE_INFINITY) - used.inputTokens - used.outputTokens;
    let characters = 0;
    const onText = (text: string) => {
      characters += text.length;
      // Tokens are known at the end of a turn; until then four characters count as one token.
      if (characters > Math.min(maxCharacters, remainingTokens * 4)) tooLong.abort();
    };
    const endWork = stopwatch.start();
    try {
      return await takeTurn({ opened, instructions, messages, tools, draft, signal, onText });
    } catch (cause) {
      if (ending.signal.aborted) return endedBy(end);
      if (tooLong.signal.aborted) return limited(assistant, 'tokens');
      const problem = opened.explain(cause);
      log.warning('chat.model-failed', problem, { conversation: id });
      return failed(problem);
    } finally {
      endWork();
    }
  }

  const modelOf = (assistant: Assistant) => open.conversation.model ?? assistant.model;

  async function loadFiles(assistant: Assistant): Promise<typeof files> {
    const parts = attachmentsOf(open.messages);
    if (parts.length === 0) return {};
    const takesImages = parts.some(({ kind }) => kind === 'image') && (await models.takesImages(modelOf(assistant)));
    const attachments = await loadAttachments(open.messages, id, storage.conversations);
    return { attachments, takesImages: takesImages === true };
  }

  /** Waits for called tools whose servers move between replicas. Returns false if there are none. */
  async function waitForMoved(calls: readonly RequestedCall[], { shown, all, exposed }: ModelTools): Promise<boolean> {
    const names = calls.flatMap(({ name, input }) => (exposed === 'all' ? name : [name, ...namesIn(input)]));
    const unknown = names.filter((name) => ![...shown, ...all].some((tool) => tool.name === name));
    const waiting = unknown.flatMap((name) => ports.waitForTools?.(name) ?? []);
    // A tool that does not arrive stays unknown.
    await abortable(Promise.allSettled(waiting), ending.signal).catch(() => {});
    return waiting.length > 0;
  }

  async function ownTools(assistant: Assistant): Promise<ModelTools> {
    const { tools } = await pickTools(assistant, profileName, ports);
    const enabled = tools.filter((one) => one.enabled).map(({ tool }) => tool);
    return toModelTools(enabled, assistant.expose, await pickSkills(assistant, profileName, ports));
  }

  function callerOf(assistant: Assistant): Caller {
    return {
      id: assistantCallerId(assistant),
      kind: 'assistant',
      name: assistant.name,
      conversation: id,
      user: userOf(open.conversation.owner),
      client: ownProgram('toolwharf-chat'),
    };
  }

  function callOptions(assistant: Assistant, opened: OpenedModel, tools: ModelTools): RunCallsOptions {
    const { owner } = open.conversation;
    const caller = callerOf(assistant);
    return {
      ...{ toolbox, hostFor, draft, opened, caller, tools, outputs, stopwatch, now, assertAccess },
      journal: ports.journal,
      waitForTools: ports.waitForTools,
      policyFor: (entry) => assistantPolicyFor(entry, { assistant, caller, profile: profileName, owner }, toolbox),
      readPolicy: () => createReadPolicy(assistant, profileName, toolbox),
      signal: ending.signal,
      endedBy: () => end,
      onStatus: showStatus,
    };
  }

  function showStatus(): void {
    const isAsking = draft.parts.some((part) => part.type === 'tool-call' && part.status === 'asked');
    const status = isAsking ? 'asking' : 'running';
    if (status !== open.conversation.status) void open.change({ status }).catch(logNotStored);
    void draft.save().catch(logNotStored);
  }

  function limitAt(steps: number, assistant: Assistant): Outcome | undefined {
    if (steps >= assistant.maxSteps) return limited(assistant, 'steps');
    const tokens = used.inputTokens + used.outputTokens;
    return tokens >= (assistant.maxTokens ?? Number.POSITIVE_INFINITY) ? limited(assistant, 'tokens') : undefined;
  }

  async function run(): Promise<void> {
    const outcome = await answer().catch((cause) => failed(messageOf(cause)));
    const left = unfinishedCalls(draft.parts);
    // An answer that only waits for approval continues at the next start.
    const isResumable = end === 'closed' && left.length > 0;
    if (!isResumable) {
      if (left.length > 0) await endOpenScripts(draft, ports.journal).catch(logNotStored);
      for (const index of unfinishedCalls(draft.parts))
        draft.changePart(index, { status: 'waiting', approvalId: undefined });
      draft.change({ ...outcome, waitsFor: undefined, completedAt: now(), durationMs: workedMs + stopwatch.elapsedMs });
    }
    const usage = addUsage(before.usage, used);
    const durationMs = before.durationMs + stopwatch.elapsedMs;
    try {
      await draft.save();
      if (!isResumable && left.length > 0) await ports.denyApprovals(id, 'the answer ended first');
      const cost = addCost(before.costUsd, costUsd);
      await open.change({ usage, durationMs, costUsd: cost, ...(!isResumable && { status: 'idle' }) });
    } catch (cause) {
      logNotStored(cause);
    }
  }

  function logNotStored(cause: unknown): void {
    log.error('chat.not-kept', `Could not store a conversation: ${messageOf(cause)}`, { conversation: id });
  }

  const done = run();
  return {
    done,
    async stop(reason) {
      end ??= 'stopped';
      try {
        await ports.denyApprovals(id, reason);
      } finally {
        ending.abort(new ToolwharfError('CALL_CANCELLED', `The call was cancelled: ${reason}`));
        await done;
      }
      // An approval may have been requested in between.
      await ports.denyApprovals(id, reason);
    },
    async close() {
      end ??= 'closed';
      ending.abort(new ToolwharfError('CALL_CANCELLED', 'The call was cancelled: Toolwharf is stopping'));
      await done;
    },
  };
}

function hasContent(part: MessagePart): boolean {
  return part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== '');
}

/** Resolves when the named servers are connected, or after a timeout. Never rejects. */
async function waitForTools(
  servers: readonly string[],
  toolbox: Pick<ChatPorts['toolbox'], 'servers' | 'on'>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(servers);
  const isReady = () =>
    toolbox.servers
      .list()
      .every(({ name, enabled, status }) => !wanted.has(name) || !enabled || isHealthy(status.state));
  if (isReady() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, serversTimeoutMs).unref();
    const unsubscribe = toolbox.on('server.changed', () => {
      if (isReady()) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}

interface CallPartOptions {
  readonly tools: ModelTools;
  readonly messages: readonly Message[];
  readonly now: string;
}

/**
 * The message part of a requested call: `waiting`, or `error` if the call is not possible. A call through `call_tool` is the part
 * of the tool itself.
 */
function toCallPart(call: RequestedCall, { tools, messages, now }: CallPartOptions): ToolCallPart {
  const shown = readModelCall(tools.shown, { name: call.name, args: call.input }, anyProviderRules);
  const isThrough = tools.exposed === 'search' && !shown.problem && shown.tool.name === callTool;
  const called = isThrough ? readCalledTool(shown.args, tools.all) : undefined;
  const read = called ? { ...called, problem: undefined } : shown;
  const { tool } = read;
  const common = {
    type: 'tool-call' as const,
    id: isTaken(call.id, messages) ? randomUUID() : call.id,
    name: call.name,
    tool: tool?.name,
    originalName: tool?.originalName,
    server: tool?.server,
    metadata: call.metadata,
  };
  if (read.problem)
    return { ...common, arguments: {}, status: 'error', result: toStoredResult(read.problem), completedAt: now };
  return { ...common, callId: createId(), arguments: { ...read.args }, status: 'waiting' };
}

/** Some providers reuse call ids in each turn, or send none. */
function isTaken(id: string, messages: readonly Message[]): boolean {
  const parts = messages.flatMap((message) => message.parts);
  return id === '' || parts.some((part) => part.type === 'tool-call' && part.id === id);
}
