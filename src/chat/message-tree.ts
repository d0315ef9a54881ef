import type { Conversation, Message } from '../storage/ports/conversation-store.ts';

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

/** The messages that follow the same message as this one, oldest first. */
export function versionsOf(all: readonly Message[], { parentId }: Pick<Message, 'parentId'>): Message[] {
  return all.filter((message) => message.parentId === parentId);
}

/** The message with the ids of its versions, if there are several. */
export function withVersions({ versions: _, ...message }: Message, siblings: readonly Message[]): Message {
  return siblings.length > 1 ? { ...message, versions: siblings.map(({ id }) => id) } : message;
}
