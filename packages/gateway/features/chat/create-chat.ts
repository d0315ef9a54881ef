import { randomUUID } from 'node:crypto';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../contract/json.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { AppPart, AttachmentPart, Conversation, Message } from '../../../contract/records/conversation.ts';
import { createKeyedMutex } from '../../../toolwharf/kernel/mutex.ts';
import { noConversation } from '../../../toolwharf/storage/ports/conversation-store.ts';
import { type AnswerRun, startAnswer } from './answer-run.ts';
import { assertRoomFor, type NewAttachment, readAttachments } from './attachments.ts';
import type { Chat, ChatPorts } from './chat.ts';
import { createOpenConversation, type OpenConversation, selectedBranch, titleFrom } from './open-conversation.ts';
import { searchConversations } from './search-conversations.ts';
import { cancelUnfinishedCalls, recoverCalls } from './unfinished-calls.ts';
import { noUsage } from './usage.ts';
import { createWatchers } from './watchers.ts';

const untitled = 'New conversation';
const replaced = 'the user sent another message instead';
const stopped = 'the user stopped the answer';

/** Opens all conversations. Answers that waited for approval or for a script when the process ended continue automatically. */
export async function createChat(ports: ChatPorts): Promise<Chat> {
  const { log, storage, recoveryIntervalMs = 30_000 } = ports;
  const store = storage.conversations;
  const now = () => new Date().toISOString();
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
        if (!runs.has(id)) await settle(open);
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
      throw new ToolwharfError('CONFLICT', 'Another replica is answering in this conversation: try again later', {
        data: { isElsewhere: true },
      });
    return createOpenConversation({ conversation, messages: await store.messages(id) }, openPorts);
  }

  /** Starts generating the answer that is the last message. */
  async function start(open: OpenConversation): Promise<Message> {
    const { id, status } = open.conversation;
    if (status !== 'running') await open.change({ status: 'running' });
    const run = startAnswer(open, { ...ports, now });
    runs.set(id, run);
    run.done
      .then(() => locks.run(id, async () => discard(id, run)))
      .catch((cause) => log.error('chat.end-failed', messageOf(cause), { conversation: id }));
    return open.messages.at(-1) as Message;
  }

  function discard(id: string, run: AnswerRun): void {
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
    if (open.messages.at(-1)?.role === 'assistant') await cancelUnfinishedCalls(open.edit(), now(), ports.journal);
  }

  async function findAssistant(id: string | undefined): Promise<Assistant> {
    const found = id === undefined ? (await storage.assistants.list())[0] : await storage.assistants.get(id);
    if (found) return found;
    const message = id === undefined ? 'There is no assistant yet: create one first' : `There is no assistant '${id}'`;
    throw new ToolwharfError('NOT_FOUND', message);
  }

  /** Stores the files of a message; rejects if the assistant's model takes none of their kind. */
  async function addAttachments(open: OpenConversation, given: readonly NewAttachment[]): Promise<AttachmentPart[]> {
    if (given.length === 0) return [];
    const { id, assistantId } = open.conversation;
    const read = readAttachments(given);
    await assertRoomFor(read, id, store);
    if (read.some(({ part }) => part.kind === 'image')) {
      const assistant = await findAssistant(assistantId);
      const { model = assistant.model } = open.conversation;
      const takesImages = await ports.models.takesImages(model);
      if (!takesImages)
        throw new ToolwharfError('REQUEST_INVALID', refuseImages(model.model, assistant.name, takesImages));
    }
    for (const { stored } of read) await store.putAttachment(id, stored);
    return read.map(({ part }) => part);
  }

  async function addUserMessage(
    open: OpenConversation,
    { text, added, parentId }: { text: string; added: readonly AddedPart[]; parentId: string | undefined },
  ): Promise<Message> {
    const { title } = open.conversation;
    const parts: Message['parts'] = [...added, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    await open.add({ ...newMessage('user', parentId), parts, status: 'complete' });
    if (title === untitled) await open.change({ title: titleFrom(text || nameOf(added[0])) || untitled });
    return answer(open, open.messages.at(-1)?.id);
  }

  /** Starts an answer to a message. */
  async function answer(open: OpenConversation, parentId: string | undefined): Promise<Message> {
    // The status changes first, so that recovery always finds an answer that no process works on.
    await open.change({ status: 'running' });
    await open.add(newMessage('assistant', parentId));
    return start(open);
  }

  function newMessage(role: Message['role'], parentId: string | undefined): Message {
    const id = randomUUID();
    return { id, role, parts: [], status: 'streaming', createdAt: now(), parentId };
  }

  /** Continues or closes the answer of a process that ended. */
  async function settle(open: OpenConversation): Promise<void> {
    const { id, status } = open.conversation;
    if (status === 'idle') return;
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
  }

  async function recoverAbandoned(): Promise<void> {
    for (const conversation of await store.abandoned()) {
      if (runs.has(conversation.id)) continue;
      await withConversation(conversation.id, async () => {}).catch((cause) =>
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
    async create({ assistantId, model, owner, profile, title = untitled }) {
      const assistant = await findAssistant(assistantId);
      const at = now();
      const conversation: Conversation = {
        id: randomUUID(),
        title,
        assistantId: assistant.id,
        model,
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
        const messages = conversation ? selectedBranch(await store.messages(id), conversation) : [];
        return watchers.readConsistent(id, () => conversation && { conversation, messages });
      });
    },
    search: (options) => searchConversations(store, options),
    async readBranches(id) {
      const conversation = await store.get(id);
      return conversation && { conversation, messages: await store.messages(id) };
    },
    readAttachment: (id, attachment) => store.attachment(id, attachment),
    update: (id, { title, assistantId, model = assistantId === undefined ? undefined : null }) =>
      withConversation(id, async (open) => {
        if (assistantId !== undefined) await findAssistant(assistantId);
        await open.change({
          ...omitUndefined({ title, assistantId }),
          ...(model !== undefined && { model: model ?? undefined }),
        });
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
    send: (id, text, attachments = [], apps = []) =>
      withConversation(id, async (open) => {
        const added = [...(await addAttachments(open, attachments)), ...apps];
        await stop(open, replaced);
        return addUserMessage(open, { text, added, parentId: open.messages.at(-1)?.id });
      }),
    retry: (id, message) =>
      withConversation(id, async (open) => {
        const { parentId } = findMessage(open, message, 'assistant');
        await stop(open, replaced);
        return answer(open, parentId);
      }),
    edit: (id, message, text) =>
      withConversation(id, async (open) => {
        const { parentId, parts } = findMessage(open, message, 'user');
        await stop(open, replaced);
        const added = parts.filter((part) => part.type === 'attachment' || part.type === 'app');
        return addUserMessage(open, { text, added, parentId });
      }),
    select: (id, message) =>
      withConversation(id, async (open) => {
        if (runs.has(id)) throw new ToolwharfError('CONFLICT', 'The answer is still running: stop it first');
        if (!(await open.select(message))) throw noMessage(message);
      }),
    resume: (id) =>
      withConversation(id, async (open) => {
        const last = open.messages.at(-1);
        if (!last || runs.has(id)) throw new ToolwharfError('CONFLICT', nothingToResume(last));
        if (last.role === 'user') return answer(open, last.id);
        if (last.status === 'complete') throw new ToolwharfError('CONFLICT', nothingToResume(last));
        return start(open);
      }),
    stop: (id) => withConversation(id, (open) => stop(open, stopped)),
    watch: watchers.watch,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The parts of a user's message beside its text. */
type AddedPart = AttachmentPart | AppPart;

function nameOf(part: AddedPart | undefined): string {
  return part?.type === 'app' ? part.text : (part?.name ?? '');
}

function snapshotOf(open: OpenConversation | undefined) {
  return open && { conversation: open.conversation, messages: open.messages };
}

const maxVersions = 50;

/** Finds a message of the selected branch that can get another version. */
function findMessage(open: OpenConversation, id: string, role: Message['role']): Message {
  const message = open.messages.find((one) => one.id === id);
  if (!message) throw noMessage(id);
  const text = role === 'user' ? 'Only messages of the user can be edited' : 'Only answers can be retried';
  if (message.role !== role) throw new ToolwharfError('CONFLICT', text);
  if (open.countVersions(message) < maxVersions) return message;
  throw new ToolwharfError('CONFLICT', `This message has ${maxVersions} versions, which is the maximum`);
}

function noMessage(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no message '${id}' in the selected branch of this conversation`);
}

function refuseImages(model: string, assistant: string, takesImages: false | undefined): string {
  if (takesImages === false) return `${model} takes no images: remove the images, or choose another assistant`;
  return `Whether ${model} takes images is unknown: if it does, say so in the model settings of the assistant ${assistant}`;
}

function nothingToResume(last: Message | undefined): string {
  if (!last) return 'This conversation has no messages yet';
  return last.status === 'streaming' ? 'The answer is still running' : 'The last answer is complete';
}
