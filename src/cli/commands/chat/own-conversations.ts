import type { Chat } from '../../../chat/chat.ts';
import type { Conversation } from '../../../storage/ports/conversation-store.ts';
import { owner } from './chat-host.ts';

/** Whoever uses the app on this machine without a key is the same person. */
const owners = new Set([owner, 'local']);

/** The conversations of the person here, latest change first. */
export async function ownConversations(chat: Pick<Chat, 'list'>): Promise<readonly Conversation[]> {
  return (await chat.list({ limit: 1_000 })).filter((conversation) => owners.has(conversation.owner));
}
