import { randomUUID } from 'node:crypto';
import { type Assistant, assistantSchema } from '../../packages/contract/records/assistant.ts';
import type { Conversation, Message, ToolCallPart } from '../../packages/contract/records/conversation.ts';
import type { Provider } from '../../packages/contract/records/provider.ts';
import { createStoredApprover, type StoredApprover } from '../../packages/gateway/core/calls/stored-approver.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import type { Chat, ChatEvent, ChatPorts } from '../../packages/gateway/features/chat/chat.ts';
import { createChat } from '../../packages/gateway/features/chat/create-chat.ts';
import { createModels } from '../../packages/gateway/features/chat/models/create-models.ts';
import { createScripts } from '../../packages/toolwharf/bridges/code.ts';
import type { CallHost, Toolbox } from '../../packages/toolwharf/index.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { ApprovalAnswer } from '../../packages/toolwharf/policy/approval.ts';
import type { ApprovalRecord } from '../../packages/toolwharf/policy/approval-store.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { type Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { openToolbox } from './toolbox.ts';
import { waitFor } from './wait-for.ts';

export interface TestChatOptions {
  /** A configuration object; no servers by default. */
  readonly config?: object;
  /** The URL of the scripted model; the demo model by default. */
  readonly model?: { readonly url: string; readonly kind?: Provider['kind'] };
  readonly assistant?: Partial<Assistant>;
  /** A memory storage by default; a given storage is not closed. */
  readonly storage?: Storage;
  readonly profile?: string;
  readonly ports?: Partial<ChatPorts>;
  /** The capabilities announced to the servers; `hostFor` of `ports` answers. */
  readonly host?: CallHost;
  /** How long the start waits for servers. */
  readonly startWaitMs?: number;
}

/** A chat with a toolbox, an approver and one conversation. Its events are compared with the stored content. */
export interface TestChat extends AsyncDisposable {
  readonly chat: Chat;
  readonly storage: Storage;
  readonly toolbox: Toolbox;
  readonly approver: StoredApprover;
  readonly assistant: Assistant;
  readonly id: string;
  readonly events: readonly ChatEvent[];
  /** Sends a message and waits for the end of the answer. */
  sendAndWait(text: string): Promise<Message>;
  /** Waits until the conversation is idle and returns the last message. */
  waitForAnswer(): Promise<Message>;
  /** The current last message. */
  last(): Promise<Message>;
  /** The calls of the last message. */
  calls(): Promise<ToolCallPart[]>;
  /** Waits for a pending approval. */
  waitForApproval(index?: number): Promise<ApprovalRecord['request']>;
  answer(answer: ApprovalAnswer): Promise<void>;
  conversation(): Promise<Conversation>;
}

/** A test chat with a model that follows the script. */
export async function openScriptedChat(script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) {
  const model = await startScriptedChat(script);
  const testChat = await openTestChat({ model, ...options });
  return {
    ...testChat,
    model,
    async [Symbol.asyncDispose]() {
      await testChat[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

export async function openTestChat(options: TestChatOptions = {}): Promise<TestChat> {
  const storage = options.storage ?? (await openStorage({ kind: 'memory' }));
  const stopping = new AbortController();
  const approver = createStoredApprover({
    store: storage.approvals,
    log: silentLog,
    pollMs: 50,
    stopping: stopping.signal,
  });
  const toolbox = await openToolbox(options.config ?? { servers: {} }, {
    approver,
    journal: storage.journal,
    rules: storage.rules,
    pins: storage.pins,
    host: options.host,
    scripts: createScripts(),
    ...(options.startWaitMs !== undefined && { startWaitMs: options.startWaitMs }),
  });
  const assistant = await ensureAssistant(storage, options, toolbox);
  const chat = await createChat({
    toolbox,
    hostFor: () => ({}),
    journal: storage.journal,
    storage,
    models: createModels({ providers: storage.providers, settings: storage.modelSettings, env: {}, demoPauseMs: 0 }),
    serverNames: async () => new Map(),
    denyApprovals: (conversation, reason) => approver.denyAll(conversation, reason),
    log: silentLog,
    ...options.ports,
  });
  const [known] = await chat.list();
  const { profile } = options;
  const { id } = known ?? (await chat.create({ owner: 'ann', ...(profile !== undefined && { profile }) }));
  const mirror = await createMirror(chat, id);

  async function content() {
    const found = await chat.read(id);
    if (!found) throw new Error('The conversation does not exist');
    return found;
  }

  const last = async () => (await content()).messages.at(-1) as Message;

  async function waitForAnswer(): Promise<Message> {
    await waitFor(async () => (await content()).conversation.status === 'idle', { what: 'the end of the answer' });
    const now = await content();
    mirror.check(now);
    return now.messages.at(-1) as Message;
  }

  async function waitForApproval(index = 0) {
    const pending = await waitFor(
      async () => {
        const found = await storage.approvals.list({ status: 'pending' });
        return found.length > index ? found : undefined;
      },
      { what: 'an approval' },
    );
    const found = pending?.at(-1 - index);
    if (!found) throw new Error('There is no pending approval');
    return found.request;
  }

  return {
    chat,
    storage,
    toolbox,
    approver,
    assistant,
    id,
    events: mirror.events,
    async sendAndWait(text) {
      await chat.send(id, text);
      return waitForAnswer();
    },
    waitForAnswer,
    last,
    calls: async () => (await last()).parts.filter((part) => part.type === 'tool-call'),
    waitForApproval,
    async answer(answer) {
      const { id: approvalId } = await waitForApproval();
      await approver.answer(approvalId, answer, 'ann');
    },
    conversation: async () => (await content()).conversation,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await chat.close();
      mirror.end();
      await toolbox.close();
      if (!options.storage) await storage.close();
    },
  };
}

/** The text of a message. */
export function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');
}

async function ensureAssistant(storage: Storage, options: TestChatOptions, toolbox: Toolbox): Promise<Assistant> {
  const [known] = await storage.assistants.list();
  if (known) return known;
  const provider = randomUUID();
  if (options.model)
    await storage.providers.put({
      id: provider,
      name: 'Scripted',
      kind: options.model.kind ?? 'openai-compatible',
      baseUrl: options.model.url,
      allowInsecure: false,
      apiKey: 'sk-secret-of-the-test',
    });
  const assistant = assistantSchema.parse({
    id: randomUUID(),
    name: 'Tester',
    instructions: 'Be brief.',
    serverIds: toolbox.config.servers.map(({ name }) => name),
    ...(options.model && { model: { provider, model: 'scripted' } }),
    toolApproval: 'auto',
    ...options.assistant,
  });
  await storage.assistants.put(assistant);
  return assistant;
}

/** The content that a watcher derives from one read and all later events. */
async function createMirror(chat: Chat, id: string) {
  const events: ChatEvent[] = [];
  let now: { conversation: Conversation; messages: Message[] } | undefined;
  const end = chat.watch(id, (event) => {
    events.push(event);
    if (now) now = applied(now, event);
  });
  const read = await chat.read(id);
  if (read) now = { conversation: read.conversation, messages: [...read.messages] };
  return {
    events,
    end,
    check(expected: { conversation: Conversation; messages: readonly Message[] }) {
      if (JSON.stringify(sorted(now)) !== JSON.stringify(sorted(expected)))
        throw new Error(
          `The events lead to other content than was stored:\n${JSON.stringify(now)}\n${JSON.stringify(expected)}`,
        );
    },
  };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  );
}

function applied(
  now: { conversation: Conversation; messages: Message[] },
  event: ChatEvent,
): { conversation: Conversation; messages: Message[] } {
  const { messages } = now;
  switch (event.kind) {
    case 'conversation':
      return { ...now, conversation: event.conversation };
    case 'message': {
      const at = messages.findIndex(({ id }) => id === event.message.id);
      return { ...now, messages: at < 0 ? [...messages, event.message] : messages.with(at, event.message) };
    }
    case 'part':
    case 'text': {
      const at = messages.findIndex(({ id }) => id === event.message);
      const message = messages[at] as Message;
      const parts = [...message.parts];
      const old = parts[event.index];
      if (event.kind === 'part') parts[event.index] = event.part;
      else if (old && 'text' in old) parts[event.index] = { ...old, text: old.text + event.text };
      return { ...now, messages: messages.with(at, { ...message, parts }) };
    }
    case 'cut':
      return {
        ...now,
        messages: messages.slice(
          0,
          messages.findIndex(({ id }) => id === event.message),
        ),
      };
    case 'removed':
      return now;
  }
}
