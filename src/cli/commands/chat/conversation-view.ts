import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { Message, ToolCallPart } from '../../../storage/ports/conversation-store.ts';
import { noConversation } from '../../../storage/ports/conversation-store.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { applyChatEvent, type ConversationContent } from './apply-chat-event.ts';
import type { Floor } from './floor.ts';
import { beginRow, endRow, progressText } from './tool-row.ts';

/** Where one text of an answer goes as it comes. */
export interface TextSink {
  add(text: string): void;
  end(): void;
}

export interface ViewOptions {
  readonly chat: Pick<Chat, 'read' | 'watch'>;
  readonly terminal: Terminal;
  /** While a question has the terminal, nothing is written. */
  readonly floor: Floor;
  readonly createText: () => TextSink;
  /** A call waits for somebody's answer. */
  readonly onAsked?: (part: ToolCallPart) => void;
}

/** One conversation on a terminal: what is answered from now on is written as it comes, and never rewritten. */
export interface ConversationView extends Disposable {
  /** As it is now. */
  readonly content: ConversationContent;
  /** Has something answered; gives the answer once it has ended and all of it is written. */
  answer(begin: () => Promise<Message>): Promise<Message>;
}

/** What is written of a message. */
interface Written {
  /** How much of each text, by the part's place. */
  readonly texts: Map<number, number>;
  /** The text that is not ended yet. */
  open?: { readonly index: number; readonly sink: TextSink };
  readonly calls: Map<number, 'asked' | 'begun' | 'ended'>;
}

const over: ReadonlySet<ToolCallPart['status']> = new Set(['success', 'error', 'denied', 'cancelled', 'unknown']);

/** Begins to write what happens in a conversation; an answer that is under way is written from its beginning. */
export async function openConversationView(id: string, options: ViewOptions): Promise<ConversationView> {
  const { chat, terminal, floor, createText, onAsked } = options;
  let content: ConversationContent | undefined;
  let isRemoved = false;
  const written = new Map<string, Written>();
  /** Messages of which all there is now is written. */
  const finished = new Set<string>();
  const waiting = new Set<Waiting>();
  const unwatch = chat.watch(id, hear);
  const endFree = floor.onFree(write);
  content = await chat.read(id);
  if (!content) {
    close();
    throw noConversation(id);
  }
  for (const message of content.messages.filter(({ status }) => status !== 'streaming')) {
    written.set(message.id, allOf(message));
    finished.add(message.id);
  }
  write();

  function hear(event: ChatEvent): void {
    // What is heard before it is read is in what is read.
    if (!content) return;
    const after = applyChatEvent(content, event);
    isRemoved ||= after === undefined;
    if (after) content = after;
    write();
  }

  function write(): void {
    if (!content || floor.isTaken) return;
    for (const message of content.messages) {
      const isOn = message.status === 'streaming' || !finished.has(message.id);
      if (message.role === 'assistant' && isOn) writeMessage(message);
    }
    settle(content);
  }

  function writeMessage(message: Message): void {
    const state: Written = written.get(message.id) ?? { texts: new Map(), calls: new Map() };
    written.set(message.id, state);
    const isOver = message.status !== 'streaming';
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'text') writeText(state, index, part.text);
      if (part.type === 'tool-call') writeCall(state, index, part, message);
      if (state.open?.index === index && (isOver || index < message.parts.length - 1)) endText(state);
    }
    terminal.status(isOver ? undefined : `${statusOf(message)} …`);
    if (isOver) finished.add(message.id);
    else finished.delete(message.id);
  }

  function writeText(state: Written, index: number, text: string): void {
    const before = state.texts.get(index) ?? 0;
    if (text.length <= before) return;
    if (state.open?.index !== index) {
      endText(state);
      state.open = { index, sink: createText() };
    }
    state.open?.sink.add(text.slice(before));
    state.texts.set(index, text.length);
  }

  function endText(state: Written): void {
    state.open?.sink.end();
    delete state.open;
  }

  function writeCall(state: Written, index: number, part: ToolCallPart, message: Message): void {
    const before = state.calls.get(index);
    const isOver = over.has(part.status);
    if (before === 'ended' || (part.status === 'waiting' && !isOver)) return;
    if (part.status === 'asked') {
      if (before === undefined) onAsked?.(part);
      state.calls.set(index, 'asked');
      return;
    }
    if (before !== 'begun') terminal.note(beginRow(part, terminal));
    if (isOver) terminal.note(endRow(part, hasCompany(message, index), terminal));
    state.calls.set(index, isOver ? 'ended' : 'begun');
  }

  function settle({ conversation, messages }: ConversationContent): void {
    for (const one of waiting) {
      const found = messages.find((message) => message.id === one.id);
      const isGone = isRemoved || (!found && written.has(one.id));
      if (isGone) one.reject(noConversation(id));
      else if (found && found !== one.before && finished.has(found.id) && conversation.status === 'idle')
        one.resolve(found);
      else continue;
      waiting.delete(one);
    }
  }

  async function answer(begin: () => Promise<Message>): Promise<Message> {
    const known = new Map(content?.messages.map((message) => [message.id, message]));
    const message = await begin();
    const { promise, ...result } = Promise.withResolvers<Message>();
    waiting.add({ ...result, id: message.id, before: known.get(message.id) });
    write();
    return promise;
  }

  function close(): void {
    unwatch();
    endFree();
    terminal.status();
    for (const { reject } of waiting) reject(noConversation(id));
  }

  return {
    get content() {
      return content as ConversationContent;
    },
    answer,
    [Symbol.dispose]: close,
  };
}

/** Somebody who waits for an answer. */
interface Waiting {
  readonly id: string;
  /** What it was before: an answer may go on after it had ended. */
  readonly before: Message | undefined;
  resolve(message: Message): void;
  reject(cause: unknown): void;
}

function allOf({ parts }: Message): Written {
  return {
    texts: new Map(parts.map((part, index) => [index, part.type === 'text' ? part.text.length : 0])),
    calls: new Map(parts.map((_, index) => [index, 'ended'])),
  };
}

/** Whether other calls stand beside it, in the same turn of the model. */
function hasCompany({ parts }: Message, index: number): boolean {
  return [index - 1, index + 1].some((beside) => parts[beside]?.type === 'tool-call');
}

function statusOf({ parts }: Message): string {
  const calls = parts.filter((part) => part.type === 'tool-call');
  const running = calls.filter(({ status }) => status === 'running');
  const [only, another] = running;
  if (only && another) return `${running.length} tools are running`;
  if (only) return progressText(only);
  return calls.some(({ status }) => status === 'asked') ? 'waiting for an answer' : 'thinking';
}
