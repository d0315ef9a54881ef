import { applyChatEvent } from '../../../contract/apply-chat-event.ts';
import type { Message, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { ChatEvent, ConversationContent } from '../../../gateway/features/chat/chat.ts';
import { noConversation } from '../../../toolwharf/storage/ports/conversation-store.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import type { TerminalLock } from '../../core/terminal/terminal-lock.ts';
import type { GatewayChat } from './gateway-chat.ts';
import { approvalsOf, callRow, progressText, resultRow } from './tool-row.ts';

/** Writes one text of an answer as it is streamed. */
export interface TextWriter {
  add(text: string): void;
  end(): void;
}

export interface ViewOptions {
  readonly chat: Pick<GatewayChat, 'read' | 'watch'>;
  readonly terminal: Terminal;
  /** Nothing is printed while a prompt holds the lock. */
  readonly lock: TerminalLock;
  readonly createWriter: () => TextWriter;
  /** Called when a call, or a call of a chain or script, awaits approval. */
  readonly onAsked?: (part: ToolCallPart, approval: string) => void;
}

/** Prints one conversation on a terminal: answers are printed as they are streamed and never redrawn. */
export interface ConversationView extends Disposable {
  /** The current content. */
  readonly content: ConversationContent;
  /** Starts an answer; resolves when it has ended and is printed completely. */
  answer(start: () => Promise<Message>): Promise<Message>;
}

/** The parts of a message that are printed, by their index. */
interface Printed {
  /** The number of printed characters of each text. */
  readonly texts: Map<number, number>;
  /** The text that is being streamed. */
  open?: { readonly index: number; readonly writer: TextWriter };
  readonly calls: Map<number, 'started' | 'ended'>;
}

const endStates: ReadonlySet<ToolCallPart['status']> = new Set([
  'success',
  'error',
  'denied',
  'expired',
  'cancelled',
  'unknown',
]);

/** Starts to print a conversation; an answer in progress is printed from its start. */
export async function openConversationView(id: string, options: ViewOptions): Promise<ConversationView> {
  const { chat, terminal, lock, createWriter, onAsked } = options;
  let content: ConversationContent | undefined;
  let isRemoved = false;
  const printed = new Map<string, Printed>();
  /** The ids of messages that are printed completely. */
  const finished = new Set<string>();
  /** The approvals that were reported. */
  const asked = new Set<string>();
  const pending = new Set<PendingAnswer>();
  const unwatch = chat.watch(id, receive);
  const stopListening = lock.onRelease(print);
  content = await chat.read(id);
  if (!content) {
    close();
    throw noConversation(id);
  }
  for (const message of content.messages.filter(({ status }) => status !== 'streaming')) {
    printed.set(message.id, allOf(message));
    finished.add(message.id);
  }
  print();

  function receive(event: ChatEvent): void {
    // The content that is being read will include this event.
    if (!content) return;
    const after = applyChatEvent(content, event);
    isRemoved ||= after === undefined;
    if (after) content = after;
    print();
  }

  function print(): void {
    if (!content || lock.isHeld) return;
    for (const message of content.messages) {
      const isUnfinished = message.status === 'streaming' || !finished.has(message.id);
      if (message.role === 'assistant' && isUnfinished) printMessage(message);
    }
    settle(content);
  }

  function printMessage(message: Message): void {
    const state: Printed = printed.get(message.id) ?? { texts: new Map(), calls: new Map() };
    printed.set(message.id, state);
    const hasEnded = message.status !== 'streaming';
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'text') printText(state, index, part.text);
      if (part.type === 'tool-call') printCall(state, index, part, message);
      if (state.open?.index === index && (hasEnded || index < message.parts.length - 1)) endText(state);
    }
    terminal.status(hasEnded ? undefined : `${statusOf(message)} …`);
    if (hasEnded) finished.add(message.id);
    else finished.delete(message.id);
  }

  function printText(state: Printed, index: number, text: string): void {
    const before = state.texts.get(index) ?? 0;
    if (text.length <= before) return;
    if (state.open?.index !== index) {
      endText(state);
      state.open = { index, writer: createWriter() };
    }
    state.open?.writer.add(text.slice(before));
    state.texts.set(index, text.length);
  }

  function endText(state: Printed): void {
    state.open?.writer.end();
    delete state.open;
  }

  function printCall(state: Printed, index: number, part: ToolCallPart, message: Message): void {
    const before = state.calls.get(index);
    const hasEnded = endStates.has(part.status);
    if (before === 'ended' || part.status === 'waiting') return;
    if (part.status === 'asked') {
      reportAsked(part);
      return;
    }
    if (before !== 'started') terminal.note(callRow(part, terminal));
    if (hasEnded) terminal.note(resultRow(part, hasParallelCalls(message, index), terminal));
    state.calls.set(index, hasEnded ? 'ended' : 'started');
  }

  function reportAsked(part: ToolCallPart): void {
    for (const approval of approvalsOf(part)) {
      if (!asked.has(approval)) onAsked?.(part, approval);
      asked.add(approval);
    }
  }

  function settle({ conversation, messages }: ConversationContent): void {
    for (const answer of pending) {
      const found = messages.find((message) => message.id === answer.id);
      const isGone = isRemoved || (!found && printed.has(answer.id));
      const isNew = found !== undefined && found !== answer.before;
      if (isGone) answer.reject(noConversation(id));
      else if (isNew && finished.has(found.id) && conversation.status === 'idle') answer.resolve(found);
      else continue;
      pending.delete(answer);
    }
  }

  async function answer(start: () => Promise<Message>): Promise<Message> {
    const known = new Map(content?.messages.map((message) => [message.id, message]));
    const message = await start();
    const { promise, ...result } = Promise.withResolvers<Message>();
    pending.add({ ...result, id: message.id, before: known.get(message.id) });
    print();
    return promise;
  }

  function close(): void {
    unwatch();
    stopListening();
    terminal.status();
    for (const { reject } of pending) reject(noConversation(id));
  }

  return {
    get content() {
      return content as ConversationContent;
    },
    answer,
    [Symbol.dispose]: close,
  };
}

/** An answer whose end is awaited. */
interface PendingAnswer {
  readonly id: string;
  /** The message before the answer started: a resumed answer continues an ended one. */
  readonly before: Message | undefined;
  resolve(message: Message): void;
  reject(cause: unknown): void;
}

function allOf({ parts }: Message): Printed {
  return {
    texts: new Map(parts.map((part, index) => [index, part.type === 'text' ? part.text.length : 0])),
    calls: new Map(parts.map((_, index) => [index, 'ended'])),
  };
}

/** Whether the model made other calls in the same step. */
function hasParallelCalls({ parts }: Message, index: number): boolean {
  return [index - 1, index + 1].some((beside) => parts[beside]?.type === 'tool-call');
}

function statusOf({ parts }: Message): string {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const running = calls.filter(({ status }) => status === 'running');
  const [only, another] = running;
  if (only && another) return `${running.length} tools are running`;
  if (only) return progressText(only);
  return calls.some(({ status }) => status === 'asked') ? 'waiting for approval' : 'thinking';
}
