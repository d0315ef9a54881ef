import type { Conversation, Message, MessagePart } from '../storage/ports/conversation-store.ts';

/** What happens in one conversation, in order. Whoever applies all of them to what `read` gave has the same as `read` gives now. */
export type ChatEvent =
  | { readonly kind: 'conversation'; readonly conversation: Conversation }
  /** A message is new, or another than before. */
  | { readonly kind: 'message'; readonly message: Message }
  /** One part of a message is new, or another than before. */
  | { readonly kind: 'part'; readonly message: string; readonly index: number; readonly part: MessagePart }
  /** Text that was added to a text or reasoning part. */
  | { readonly kind: 'text'; readonly message: string; readonly index: number; readonly text: string }
  /** This message and all after it are gone. */
  | { readonly kind: 'cut'; readonly message: string }
  | { readonly kind: 'removed' };

export interface NewConversation {
  /** The first assistant by name if absent. */
  readonly assistantId?: string;
  readonly owner: string;
  readonly profile?: string;
  readonly title?: string;
}

/** Conversations with assistants. Answers go on whether anybody watches or not, and survive the process as what they were. */
export interface Chat extends AsyncDisposable {
  list(filter?: { readonly owner?: string; readonly limit?: number }): Promise<readonly Conversation[]>;
  create(conversation: NewConversation): Promise<Conversation>;
  read(id: string): Promise<{ readonly conversation: Conversation; readonly messages: readonly Message[] } | undefined>;
  update(id: string, change: { readonly title?: string; readonly assistantId?: string }): Promise<Conversation>;
  remove(id: string): Promise<boolean>;
  /** Says something; resolves with the answer as it begins. What was being answered is ended first, its open questions denied. */
  send(id: string, text: string): Promise<Message>;
  /** Answers once more: what was said from this answer on is gone. */
  retry(id: string, message: string): Promise<Message>;
  /** Says something else instead of what a person said: all after it is gone, and it is answered anew. */
  edit(id: string, message: string, text: string): Promise<Message>;
  /** Goes on with an answer that was stopped, interrupted, limited or failed. */
  resume(id: string): Promise<Message>;
  /** Ends what is being answered; resolves when it has ended. */
  stop(id: string): Promise<void>;
  /**
   * Hears of everything that happens in a conversation. Returns the function that ends it. To miss nothing, watch first, then
   * `read`: what was heard before `read` resolved is in what it gave, what is heard after is not.
   */
  watch(id: string, listener: (event: ChatEvent) => void): () => void;
  /** Ends all answers as interrupted, and keeps them so. Those that only wait for a person go on at the next start. */
  close(): Promise<void>;
}
