import { messageOf } from '../../../contract/errors.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';
import type { ChatEvent, ChatPorts } from './chat.ts';
import { createDraft, createSaver, type Draft, type Saver } from './draft.ts';
import type { Watchers } from './watchers.ts';

/** A conversation while it changes: keeps memory, store and watchers consistent. */
export interface OpenConversation {
  readonly conversation: Conversation;
  /** The selected branch, oldest first, including the answer being generated. */
  readonly messages: readonly Message[];
  /** The number of versions that a message has. */
  countVersions(message: Message): number;
  /** Resolves when the change is stored. */
  change(fields: Partial<Conversation>): Promise<void>;
  /** Adds a message as a child of its `parentId`, and selects its branch. */
  add(message: Message): Promise<void>;
  /** Selects the branch of a message; returns false if there is no such message. */
  select(message: string): Promise<boolean>;
  /** Opens the last message of the branch for editing. */
  edit(): Draft;
}

export interface OpenPorts extends Pick<ChatPorts, 'log' | 'onChanged'> {
  readonly store: ChatPorts['storage']['conversations'];
  readonly watchers: Watchers;
  readonly now: () => string;
}

const debounceMs = 500;

export function createOpenConversation(
  stored: { readonly conversation: Conversation; readonly messages: readonly Message[] },
  { store, watchers, log, onChanged, now }: OpenPorts,
): OpenConversation {
  const { id } = stored.conversation;
  let { conversation } = stored;
  let all = [...stored.messages];
  let draft: Draft | undefined;
  const publish = (event: ChatEvent) => watchers.publish(id, event);
  const publishDraft = (event: ChatEvent) => publish(event.kind === 'message' ? toView(event.message) : event);
  const toView = (message: Message): ChatEvent => {
    return { kind: 'message', message: withVersions(message, versionsOf(all, message)) };
  };
  const saver = saverOf(() => store.put(conversation));

  function saverOf(write: () => Promise<void>): Saver {
    const onError = (cause: unknown) =>
      log.error('chat.not-kept', `Could not store a conversation: ${messageOf(cause)}`, { conversation: id });
    return createSaver({ write, onError, debounceMs });
  }

  const current = () => all.map((message) => (message.id === draft?.message.id ? draft.message : message));
  const branch = () => selectedBranch(current(), conversation);

  function change(fields: Partial<Conversation>): Promise<void> {
    conversation = { ...conversation, ...fields, updatedAt: now() };
    publish({ kind: 'conversation', conversation });
    const changed = conversation;
    const stored = saver.save();
    // Other replicas read the store when they learn of the change.
    const report = () => onChanged?.({ kind: 'changed', conversation: changed });
    stored.then(report, report);
    return stored;
  }

  /** Publishes the change from one branch to another: watchers know only the selected one. */
  function publishSwitch(before: readonly Message[], after: readonly Message[]): void {
    const at = before.findIndex(({ id }, index) => id !== after[index]?.id);
    const from = at === -1 ? before.length : at;
    const cut = before[from];
    if (cut) publish({ kind: 'cut', message: cut.id });
    for (const message of after.slice(from)) publish({ kind: 'message', message });
  }

  return {
    get conversation() {
      return conversation;
    },
    get messages() {
      return branch();
    },
    countVersions: (message) => versionsOf(all, message).length,
    change,
    async add(message) {
      const before = branch();
      const { parentId: selectedId } = message;
      const isVersion = before.at(-1)?.id !== selectedId;
      // Stored first: after a crash in between, the branch still goes through the newest version.
      if (isVersion) await store.put({ ...conversation, selectedId });
      await store.putMessage(id, message);
      all = [...current(), message];
      draft = undefined;
      if (isVersion) {
        conversation = { ...conversation, selectedId };
        publish({ kind: 'conversation', conversation });
      }
      publishSwitch(before, branch());
    },
    async select(selectedId) {
      if (!all.some((message) => message.id === selectedId)) return false;
      const before = branch();
      all = current();
      draft = undefined;
      const stored = change({ selectedId });
      publishSwitch(before, branch());
      await stored;
      return true;
    },
    edit() {
      const last = branch().at(-1);
      if (!last) throw new Error('The conversation has no message to edit');
      const { versions: _, ...message } = last;
      draft = createDraft(message, {
        publish: publishDraft,
        createSaver: (read) => saverOf(() => store.putMessage(id, read())),
      });
      return draft;
    },
  };
}

/** A title from the first message: its beginning, shortened at a word boundary if possible. */
export function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxTitleLength) return line;
  const cut = line.slice(0, maxTitleLength).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${space > maxTitleLength / 2 ? cut.slice(0, space) : cut}…`;
}

/** The messages of the selected branch, oldest first, each with its versions. `all` holds every message, oldest first. */
export function selectedBranch(all: readonly Message[], { selectedId }: Pick<Conversation, 'selectedId'>): Message[] {
  const byId = new Map(all.map((message) => [message.id, message]));
  const children = Map.groupBy(all, ({ parentId }) => parentId);
  const branch: Message[] = [];
  for (let at = byId.get(selectedId ?? ''); at; at = byId.get(at.parentId ?? '')) branch.unshift(at);
  for (let next = children.get(branch.at(-1)?.id)?.at(-1); next; next = children.get(next.id)?.at(-1))
    branch.push(next);
  return branch.map((message) => withVersions(message, children.get(message.parentId) ?? []));
}

const maxTitleLength = 60;

/** The messages that follow the same message as this one, oldest first. */
function versionsOf(all: readonly Message[], { parentId }: Pick<Message, 'parentId'>): Message[] {
  return all.filter((message) => message.parentId === parentId);
}

/** The message with the ids of its versions, if there are several. */
function withVersions({ versions: _, ...message }: Message, siblings: readonly Message[]): Message {
  return siblings.length > 1 ? { ...message, versions: siblings.map(({ id }) => id) } : message;
}
