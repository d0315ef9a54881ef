import { randomUUID } from 'node:crypto';
import { systemClock } from '../kernel/clock.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import { createKeyedMutex } from '../kernel/keyed-mutex.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';
import { type Conversation, type Message, noConversation } from '../storage/ports/conversation-store.ts';
import { type AnswerRun, startAnswer } from './answer-run.ts';
import type { Chat, ChatPorts } from './chat.ts';
import { createOpenConversation, type OpenConversation, titleFrom } from './open-conversation.ts';
import { noUsage } from './take-turn.ts';
import { cancelUnfinishedCalls, recoverCalls } from './unfinished-calls.ts';
import { createWatchers } from './watchers.ts';

const untitled = 'New conversation';
const replaced = 'the user sent another message instead';
const stopped = 'the user stopped the answer';

/** Opens all conversations. Answers that were waiting for approval when the process ended continue automatically. */
export async function createChat(ports: ChatPorts): Promise<Chat> {
  const { log, storage, clock = systemClock, recoveryIntervalMs = 30_000 } = ports;
  const store = storage.conversations;
  const now = () => new Date(clock.now()).toISOString();
  const watchers = createWatchers({ log });
  const locks = createKeyedMutex();
  const opened = new Map<string, OpenConversation>();
  const runs = new Map<string, AnswerRun>();
  const openPorts = { store, watchers, log, now, onChanged: ports.onChanged };
  let isClosed = false;

  /** Runs `work` with exclusive access to a conversation, in this process and across replicas. */
  function withConversation<Value>(id: string, work: (open: OpenConversation) => Promise<Value>): Promise<Value> {
    return locks.run(id, async () => {
      if (isClosed) throw new ToolwharfError('TOOLBOX_CLOSED', 'Toolwharf is stopping');
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
      throw new ToolwharfError('CONFLICT', 'Another replica is answering in this conversation: try again later');
    return createOpenConversation({ conversation, messages: await store.messages(id) }, openPorts);
  }

  /** Starts generating the answer that is the last message. */
  async function start(open: OpenConversation): Promise<Message> {
    const { id, status } = open.conversation;
    if (status !== 'running') await open.change({ status: 'running' });
    const run = startAnswer(open, { ...ports, now });
    runs.set(id, run);
    void run.done.then(() => locks.run(id, async () => forget(id, run)));
    return open.messages.at(-1) as Message;
  }

  function forget(id: string, run: AnswerRun): void {
    if (runs.get(id) !== run) return;
    runs.delete(id);
    opened.delete(id);
  }

  /** Stops the running answer and cancels its unfinished calls. */
  async function stop(open: OpenConversation, reason: string): Promise<void> {
    const { id } = open.conversation;
    const run = runs.get(id);
    await run?.stop(reason);
    if (run) runs.delete(id);
    if (open.messages.at(-1)?.role === 'assistant') await cancelUnfinishedCalls(open.edit(), now());
  }

  async function findAssistant(id: string | undefined): Promise<Assistant> {
    const found = id === undefined ? (await storage.assistants.list())[0] : await storage.assistants.get(id);
    if (found) return found;
    const message = id === undefined ? 'There is no assistant yet: create one first' : `There is no assistant '${id}'`;
    throw new ToolwharfError('NOT_FOUND', message);
  }

  async function addUserMessage(open: OpenConversation, text: string): Promise<Message> {
    const { title } = open.conversation;
    await open.add(newMessage('user', text));
    if (title === untitled) await open.change({ title: titleFrom(text) || untitled });
    return answer(open);
  }

  async function answer(open: OpenConversation): Promise<Message> {
    // The status changes first, so that recovery always finds an answer that no process works on.
    await open.change({ status: 'running' });
    await open.add(newMessage('assistant'));
    return start(open);
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

  /** Continues or closes the answer of a process that ended. */
  async function recover({ id }: Conversation): Promise<void> {
    if (runs.has(id)) return;
    await withConversation(id, async (open) => {
      if (runs.has(id) || open.conversation.status === 'idle') return;
      const last = open.messages.at(-1);
      if (last?.role !== 'assistant' || last.status !== 'streaming') return open.change({ status: 'idle' });
      const draft = open.edit();
      if ((await recoverCalls(draft, ports.journal)) === 'resumable') {
        await draft.save();
        return void (await start(open));
      }
      await ports.denyApprovals(id, 'the answer was interrupted');
      const problem = 'Toolwharf stopped during this answer.';
      draft.change({ status: 'interrupted', problem, completedAt: now() });
      await draft.save();
      await open.change({ status: 'idle' });
    });
  }

  async function recoverAbandoned(): Promise<void> {
    for (const conversation of await store.abandoned()) {
      await recover(conversation).catch((cause) =>
        log.error('chat.not-recovered', `Could not recover a conversation: ${messageOf(cause)}`, {
          conversation: conversation.id,
        }),
      );
    }
  }

  await recoverAbandoned();
  const timer = setInterval(() => {
    recoverAbandoned().catch((cause) => log.warning('chat.look-failed', messageOf(cause)));
  }, recoveryIntervalMs).unref();

  async function close(): Promise<void> {
    isClosed = true;
    clearInterval(timer);
    const closeRuns = () => Promise.all([...runs.values()].map((run) => run.close()));
    await closeRuns();
    // An operation that was waiting for its lock may have started another answer.
    await locks.idle();
    await closeRuns();
    await locks.idle();
  }

  return {
    list: (filter) => store.list(filter),
    async create({ assistantId, owner, profile, title = untitled }) {
      const assistant = await findAssistant(assistantId);
      const at = now();
      const conversation: Conversation = {
        id: randomUUID(),
        title,
        assistantId: assistant.id,
        owner,
        profile,
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
      const found = opened.has(id) ? await watchers.readConsistent(id, live) : undefined;
      if (found) return found;
      // While the lock is held nothing changes, and every earlier change is stored.
      return locks.run(id, async () => {
        if (opened.has(id)) return watchers.readConsistent(id, live);
        const conversation = await store.get(id);
        const stored = conversation && { conversation, messages: await store.messages(id) };
        return watchers.readConsistent(id, () => stored);
      });
    },
    update: (id, { title, assistantId }) =>
      withConversation(id, async (open) => {
        if (assistantId !== undefined) await findAssistant(assistantId);
        await open.change({ ...(title !== undefined && { title }), ...(assistantId !== undefined && { assistantId }) });
        return open.conversation;
      }),
    remove: async (id) => {
      if (!(await store.get(id))) return false;
      return withConversation(id, async (open) => {
        await stop(open, stopped);
        const isRemoved = await store.remove(id);
        watchers.publish(id, { kind: 'removed' });
        ports.onChanged?.({ kind: 'removed', id, owner: open.conversation.owner });
        return isRemoved;
      });
    },
    send: (id, text) =>
      withConversation(id, async (open) => {
        await stop(open, replaced);
        return addUserMessage(open, text);
      }),
    retry: (id, message) =>
      withConversation(id, async (open) => {
        assertMessage(open, message, 'assistant');
        await stop(open, replaced);
        await open.cut(message);
        return answer(open);
      }),
    edit: (id, message, text) =>
      withConversation(id, async (open) => {
        assertMessage(open, message, 'user');
        await stop(open, replaced);
        await open.cut(message);
        return addUserMessage(open, text);
      }),
    resume: (id) =>
      withConversation(id, async (open) => {
        const last = open.messages.at(-1);
        if (!last || runs.has(id)) throw new ToolwharfError('CONFLICT', nothingToResume(last));
        if (last.role === 'user') return answer(open);
        if (last.status === 'complete') throw new ToolwharfError('CONFLICT', nothingToResume(last));
        return start(open);
      }),
    stop: (id) => withConversation(id, (open) => stop(open, stopped)),
    watch: watchers.watch,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function snapshotOf(open: OpenConversation | undefined) {
  return open && { conversation: open.conversation, messages: open.messages };
}

function assertMessage({ messages }: OpenConversation, id: string, role: Message['role']): void {
  const message = messages.find((one) => one.id === id);
  if (!message) throw new ToolwharfError('NOT_FOUND', `There is no message '${id}' in this conversation`);
  if (message.role === role) return;
  const text = role === 'user' ? 'Only messages of the user can be edited' : 'Only answers can be retried';
  throw new ToolwharfError('CONFLICT', text);
}

function nothingToResume(last: Message | undefined): string {
  if (!last) return 'This conversation has no messages yet';
  return last.status === 'streaming' ? 'The answer is still running' : 'The last answer is complete';
}
