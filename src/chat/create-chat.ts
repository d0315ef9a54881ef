import { randomUUID } from 'node:crypto';
import { systemClock } from '../kernel/clock.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';
import { type Conversation, type Message, noConversation } from '../storage/ports/conversation-store.ts';
import { noUsage } from './add-usage.ts';
import { type AnswerRun, startAnswer } from './answer-run.ts';
import type { Chat } from './chat.ts';
import type { ChatPorts } from './chat-ports.ts';
import { createLanes } from './lanes.ts';
import { createOpenConversation, type OpenConversation } from './open-conversation.ts';
import { recoverAnswer } from './recover-answer.ts';
import { settleCalls } from './settle-calls.ts';
import { titleOf } from './title-of.ts';
import { createWatchers } from './watchers.ts';

const untitled = 'New conversation';
const saidElse = 'the person said something else instead';
const stopped = 'the person stopped the answer';

/** Opens the conversations: those that were interrupted while a person was being asked go on by themselves. */
export async function createChat(ports: ChatPorts): Promise<Chat> {
  const { log, storage, clock = systemClock, lookEveryMs = 30_000 } = ports;
  const store = storage.conversations;
  const now = () => new Date(clock.now()).toISOString();
  const watchers = createWatchers({ log });
  const lanes = createLanes();
  const opened = new Map<string, OpenConversation>();
  const runs = new Map<string, AnswerRun>();
  const openPorts = { store, watchers, log, now, ...(ports.onChanged && { onChanged: ports.onChanged }) };
  let isClosed = false;

  /** Does something in a conversation while nobody else does, and this process alone. */
  function within<Value>(id: string, work: (open: OpenConversation) => Promise<Value>): Promise<Value> {
    return lanes.run(id, async () => {
      if (isClosed) throw new ToolwharfError('TOOLBOX_CLOSED', 'Toolwharf is being stopped');
      const open = opened.get(id) ?? (await claim(id));
      opened.set(id, open);
      try {
        return await work(open);
      } finally {
        if (!runs.has(id)) opened.delete(id);
      }
    });
  }

  async function claim(id: string): Promise<OpenConversation> {
    const isOurs = await store.claim(id);
    const conversation = await store.get(id);
    if (!conversation) throw noConversation(id);
    if (!isOurs)
      throw new ToolwharfError('CONFLICT', 'Another process of this gateway is answering in this conversation: wait');
    return createOpenConversation({ conversation, messages: await store.messages(id) }, openPorts);
  }

  /** Begins the answer that is the last message; resolves with it as it begins. */
  async function begin(open: OpenConversation): Promise<Message> {
    const { id, status } = open.conversation;
    if (status !== 'running') await open.change({ status: 'running' });
    const run = startAnswer(open, { ...ports, now });
    runs.set(id, run);
    void run.done.then(() => lanes.run(id, async () => forget(id, run)));
    return open.messages.at(-1) as Message;
  }

  function forget(id: string, run: AnswerRun): void {
    if (runs.get(id) !== run) return;
    runs.delete(id);
    opened.delete(id);
  }

  /** Ends what is being answered, if anything is, and what was left of it. */
  async function end(open: OpenConversation, reason: string): Promise<void> {
    const { id } = open.conversation;
    const run = runs.get(id);
    await run?.stop(reason);
    if (run) runs.delete(id);
    if (open.messages.at(-1)?.role === 'assistant') await settleCalls(open.edit(), now());
  }

  async function assistantOf(id: string | undefined): Promise<Assistant> {
    const found = id === undefined ? (await storage.assistants.list())[0] : await storage.assistants.get(id);
    if (found) return found;
    const message = id === undefined ? 'There is no assistant yet: make one first' : `There is no assistant '${id}'`;
    throw new ToolwharfError('NOT_FOUND', message);
  }

  async function say(open: OpenConversation, text: string): Promise<Message> {
    const { title } = open.conversation;
    await open.add(newMessage('user', text));
    if (title === untitled) await open.change({ title: titleOf(text) || untitled });
    return answer(open);
  }

  async function answer(open: OpenConversation): Promise<Message> {
    // First, so that an answer nobody works on is always found.
    await open.change({ status: 'running' });
    await open.add(newMessage('assistant'));
    return begin(open);
  }

  function newMessage(role: Message['role'], text?: string): Message {
    return {
      id: randomUUID(),
      role,
      parts: text === undefined ? [] : [{ type: 'text', text }],
      status: text === undefined ? 'streaming' : 'complete',
      createdAt: now(),
    };
  }

  /** Takes up what a process left behind. */
  async function recover({ id }: Conversation): Promise<void> {
    if (runs.has(id)) return;
    await within(id, async (open) => {
      if (runs.has(id) || open.conversation.status === 'idle') return;
      const last = open.messages.at(-1);
      if (last?.role !== 'assistant' || last.status !== 'streaming') return open.change({ status: 'idle' });
      const draft = open.edit();
      if ((await recoverAnswer(draft, ports.journal)) === 'resumable') {
        await draft.save();
        return void (await begin(open));
      }
      await ports.denyQuestions(id, 'the answer was interrupted');
      const problem = 'Toolwharf ended in the middle of this answer.';
      draft.change({ status: 'interrupted', problem, completedAt: now() });
      await draft.save();
      await open.change({ status: 'idle' });
    });
  }

  async function look(): Promise<void> {
    const left = await store.abandoned();
    for (const conversation of left) {
      await recover(conversation).catch((cause) =>
        log.error('chat.not-recovered', `A conversation could not be taken up again: ${messageOf(cause)}`, {
          conversation: conversation.id,
        }),
      );
    }
  }

  await look();
  const timer = setInterval(() => {
    look().catch((cause) => log.warning('chat.look-failed', messageOf(cause)));
  }, lookEveryMs).unref();

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(timer);
    const closeRuns = () => Promise.all([...runs.values()].map((run) => run.close()));
    await closeRuns();
    // What was being done in the meantime may have begun another.
    await lanes.idle();
    await closeRuns();
    await lanes.idle();
  }

  return {
    list: (filter) => store.list(filter),
    async create({ assistantId, owner, profile, title = untitled }) {
      const assistant = await assistantOf(assistantId);
      const at = now();
      const conversation: Conversation = {
        id: randomUUID(),
        title,
        assistantId: assistant.id,
        owner,
        ...(profile !== undefined && { profile }),
        status: 'idle',
        usage: noUsage,
        durationMs: 0,
        createdAt: at,
        updatedAt: at,
      };
      await store.put(conversation);
      ports.onChanged?.({ kind: 'changed', conversation });
      return conversation;
    },
    async read(id) {
      const live = () => snapshotOf(opened.get(id));
      const found = opened.has(id) ? await watchers.look(id, live) : undefined;
      if (found) return found;
      // In its lane nothing else happens to it, and what happened is kept.
      return lanes.run(id, async () => {
        if (opened.has(id)) return watchers.look(id, live);
        const conversation = await store.get(id);
        const kept = conversation && { conversation, messages: await store.messages(id) };
        return watchers.look(id, () => kept);
      });
    },
    update: (id, { title, assistantId }) =>
      within(id, async (open) => {
        if (assistantId !== undefined) await assistantOf(assistantId);
        await open.change({ ...(title !== undefined && { title }), ...(assistantId !== undefined && { assistantId }) });
        return open.conversation;
      }),
    remove: async (id) => {
      if (!(await store.get(id))) return false;
      return within(id, async (open) => {
        await end(open, stopped);
        const isRemoved = await store.remove(id);
        watchers.tell(id, { kind: 'removed' });
        ports.onChanged?.({ kind: 'removed', id, owner: open.conversation.owner });
        return isRemoved;
      });
    },
    send: (id, text) =>
      within(id, async (open) => {
        await end(open, saidElse);
        return say(open, text);
      }),
    retry: (id, message) =>
      within(id, async (open) => {
        find(open, message, 'assistant');
        await end(open, saidElse);
        await open.cut(message);
        return answer(open);
      }),
    edit: (id, message, text) =>
      within(id, async (open) => {
        find(open, message, 'user');
        await end(open, saidElse);
        await open.cut(message);
        return say(open, text);
      }),
    resume: (id) =>
      within(id, async (open) => {
        const last = open.messages.at(-1);
        if (!last || runs.has(id)) throw new ToolwharfError('CONFLICT', nothingToResume(last));
        if (last.role === 'user') return answer(open);
        if (last.status === 'complete') throw new ToolwharfError('CONFLICT', nothingToResume(last));
        return begin(open);
      }),
    stop: (id) => within(id, (open) => end(open, stopped)),
    watch: watchers.watch,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function snapshotOf(open: OpenConversation | undefined) {
  return open && { conversation: open.conversation, messages: open.messages };
}

function find({ messages }: OpenConversation, id: string, role: Message['role']): void {
  const message = messages.find((one) => one.id === id);
  if (!message) throw new ToolwharfError('NOT_FOUND', `There is no message '${id}' in this conversation`);
  if (message.role === role) return;
  const text = role === 'user' ? 'Only what a person said can be edited' : 'Only an answer can be tried again';
  throw new ToolwharfError('CONFLICT', text);
}

function nothingToResume(last: Message | undefined): string {
  if (!last) return 'Nothing was said in this conversation yet';
  return last.status === 'streaming' ? 'The answer is going on already' : 'The last answer is complete';
}
