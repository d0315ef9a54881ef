import type { ModelMessage } from 'ai';
import type { AiSdkModelOutput } from '../bridges/shared/ai-sdk-output.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Caller, Tool } from '../kernel/tool.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';
import type { MessagePart, ToolCallPart } from '../storage/ports/conversation-store.ts';
import { addUsage, noUsage } from './add-usage.ts';
import { createCallApproval } from './call-approval.ts';
import type { ChatPorts } from './chat-ports.ts';
import type { OpenedModel } from './models/models.ts';
import type { OpenConversation } from './open-conversation.ts';
import { completed, endedBy, failed, limited, maxCharacters, type Outcome, unfinishedTurn } from './outcomes.ts';
import { pickTools, visibilityOf } from './pick-tools.ts';
import { type RunCallsOptions, runCalls } from './run-calls.ts';
import { createStopwatch } from './stopwatch.ts';
import { type Turn, takeTurn } from './take-turn.ts';
import { toCallPart } from './to-call-part.ts';
import { toModelMessages } from './to-model-messages.ts';
import { unfinishedCalls } from './unfinished-calls.ts';
import { waitForTools } from './wait-for-tools.ts';

/** An answer while it is being made. */
export interface AnswerRun {
  /** Resolves when it has ended and that is kept. Never rejects. */
  readonly done: Promise<void>;
  /** Ends it because a person wants that; what it asked of people is denied for this reason. */
  stop(reason: string): Promise<void>;
  /** Ends it because everything does. What only waits for a person stays as it is. */
  close(): Promise<void>;
}

export interface AnswerPorts extends ChatPorts {
  readonly now: () => string;
}

/** Makes the answer that is the last message of a conversation; one that was begun before goes on. */
export function startAnswer(open: OpenConversation, ports: AnswerPorts): AnswerRun {
  const { toolbox, storage, models, hostFor, log, now } = ports;
  const draft = open.edit();
  const { id, profile: profileName } = open.conversation;
  const before = { usage: open.conversation.usage, durationMs: open.conversation.durationMs };
  const { usage: earlier = noUsage, durationMs: workedMs = 0 } = draft.message;
  const stopwatch = createStopwatch();
  const outputs = new Map<string, AiSdkModelOutput>();
  const ending = new AbortController();
  let end: 'stopped' | 'closed' | undefined;
  let used = noUsage;

  async function answer(): Promise<Outcome> {
    if (draft.message.status !== 'streaming')
      draft.change({ status: 'streaming', problem: undefined, completedAt: undefined });
    const assistant = await storage.assistants.get(open.conversation.assistantId);
    if (!assistant) return failed('The assistant of this conversation is gone: choose another one for it.');
    const opened = await models.open(assistant.model);
    draft.change({ model: opened.label });
    const left = unfinishedCalls(draft.parts);
    if (left.length > 0) {
      await waitForTools(
        left.map((index) => (draft.parts[index] as ToolCallPart).server),
        toolbox,
        ending.signal,
      );
      await runCalls(left, callOptions(assistant, opened, await ownTools(assistant)));
    }
    for (let steps = 0; ; steps++) {
      if (end) return endedBy(end);
      const outcome = limitAt(steps, assistant) ?? (await step(assistant, opened));
      if (outcome) return outcome;
    }
  }

  /** One turn of the model and the calls it wants; the outcome when it wants none. */
  async function step(assistant: Assistant, opened: OpenedModel): Promise<Outcome | undefined> {
    const messages = toModelMessages(open.messages, { outputs, takesMedia: opened.takesMedia });
    if (draft.parts.length > 0 && draft.parts.at(-1)?.type !== 'step') draft.add({ type: 'step' });
    const tools = await ownTools(assistant);
    const turn = await ask(assistant, opened, messages, tools);
    if ('status' in turn) return turn;
    used = addUsage(used, { ...turn.usage, ...(opened.estimatesUsage && { estimated: true }) });
    draft.change({ usage: addUsage(earlier, used) });
    if (turn.end !== 'done') return unfinishedTurn(turn.end, opened);
    if (turn.calls.length === 0 && !draft.parts.some(isSaid))
      return failed(`${opened.label} ended its answer without saying anything. Try again.`);
    if (turn.calls.length === 0) return completed;
    for (const call of turn.calls) draft.add(toCallPart(call, { tools, messages: open.messages, now: now() }));
    await draft.save();
    await runCalls(unfinishedCalls(draft.parts), callOptions(assistant, opened, tools));
    return undefined;
  }

  /** What the model says and wants, or how that ended instead. */
  async function ask(
    { instructions, ...assistant }: Assistant,
    opened: OpenedModel,
    messages: ModelMessage[],
    tools: readonly Tool[],
  ): Promise<Turn | Outcome> {
    const tooLong = new AbortController();
    const signal = AbortSignal.any([ending.signal, tooLong.signal]);
    const room = (assistant.maxTokens ?? Number.POSITIVE_INFINITY) - used.inputTokens - used.outputTokens;
    let characters = 0;
    const onText = (text: string) => {
      characters += text.length;
      // Tokens are counted at the end of a turn; until then four characters are one.
      if (characters > Math.min(maxCharacters, room * 4)) tooLong.abort();
    };
    const endWork = stopwatch.begin();
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

  async function ownTools(assistant: Assistant): Promise<Tool[]> {
    const { tools } = await pickTools(assistant, profileName, ports);
    return tools.filter(({ enabled }) => enabled).map(({ tool }) => tool);
  }

  function callOptions(assistant: Assistant, opened: OpenedModel, tools: readonly Tool[]): RunCallsOptions {
    const caller: Caller = {
      id: `assistant:${assistant.id}`,
      kind: 'assistant',
      name: assistant.name,
      conversation: id,
    };
    return {
      ...{ toolbox, hostFor, draft, opened, caller, tools, outputs, stopwatch, now },
      policyFor(entry) {
        const { toolbox: settings, profiles } = toolbox.config;
        const profile = profiles.find(({ name }) => name === profileName);
        const approvalOf = createCallApproval({ assistant, toolbox: settings.approval, profile, caller });
        return { approval: approvalOf(entry), mayUse: visibilityOf(profileName, profiles).hasTool };
      },
      signal: ending.signal,
      ending: () => end,
      onStatus: showStatus,
    };
  }

  function showStatus(): void {
    const isAsking = draft.parts.some((part) => part.type === 'tool-call' && part.status === 'asked');
    const status = isAsking ? 'asking' : 'running';
    if (status !== open.conversation.status) void open.change({ status }).catch(notKept);
    void draft.save().catch(notKept);
  }

  function limitAt(steps: number, assistant: Assistant): Outcome | undefined {
    if (steps >= assistant.maxSteps) return limited(assistant, 'steps');
    const tokens = used.inputTokens + used.outputTokens;
    return tokens >= (assistant.maxTokens ?? Number.POSITIVE_INFINITY) ? limited(assistant, 'tokens') : undefined;
  }

  async function run(): Promise<void> {
    const outcome = await answer().catch((cause) => failed(messageOf(cause)));
    const left = unfinishedCalls(draft.parts);
    // Answers that only wait for a person are taken up by the next start, as they are.
    const isLeft = end === 'closed' && left.length > 0;
    if (!isLeft) {
      for (const index of left) draft.changePart(index, { status: 'waiting', approvalId: undefined });
      draft.change({ ...outcome, completedAt: now(), durationMs: workedMs + stopwatch.elapsedMs });
    }
    const usage = addUsage(before.usage, used);
    const durationMs = before.durationMs + stopwatch.elapsedMs;
    try {
      await draft.save();
      if (!isLeft && left.length > 0) await ports.denyQuestions(id, 'the answer ended before');
      await open.change({ usage, durationMs, ...(!isLeft && { status: 'idle' }) });
    } catch (cause) {
      notKept(cause);
    }
  }

  function notKept(cause: unknown): void {
    log.error('chat.not-kept', `A conversation could not be kept: ${messageOf(cause)}`, { conversation: id });
  }

  const done = run();
  return {
    done,
    async stop(reason) {
      end ??= 'stopped';
      try {
        await ports.denyQuestions(id, reason);
      } finally {
        ending.abort(new ToolwharfError('CALL_CANCELLED', `The call was cancelled: ${reason}`));
        await done;
      }
      // One may have been asked in between.
      await ports.denyQuestions(id, reason);
    },
    async close() {
      end ??= 'closed';
      ending.abort(new ToolwharfError('CALL_CANCELLED', 'The call was cancelled: Toolwharf is being stopped'));
      await done;
    },
  };
}

function isSaid(part: MessagePart): boolean {
  return part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== '');
}
