import type { CallHost } from '../invocation/call.ts';
import type { Journal } from '../invocation/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller } from '../kernel/tool.ts';
import type { Conversation, Message, MessagePart } from '../storage/ports/conversation-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { InternalToolbox } from '../toolbox-types.ts';
import type { Models, OpenedModel } from './models/models.ts';

/** A change of a conversation. Applied in order to the result of `read`, these events keep it up to date. */
export type ChatEvent =
  | { readonly kind: 'conversation'; readonly conversation: Conversation }
  /** A new or changed message. */
  | { readonly kind: 'message'; readonly message: Message }
  /** A new or changed part of a message. */
  | { readonly kind: 'part'; readonly message: string; readonly index: number; readonly part: MessagePart }
  /** Text appended to a text or reasoning part. */
  | { readonly kind: 'text'; readonly message: string; readonly index: number; readonly text: string }
  /** This message and all later ones were deleted. */
  | { readonly kind: 'cut'; readonly message: string }
  | { readonly kind: 'removed' };

export interface NewConversation {
  /** The first assistant by name if absent. */
  readonly assistantId?: string;
  readonly owner: string;
  readonly profile?: string;
  readonly title?: string;
}

/** Conversations with assistants. Answers are generated whether or not a client watches, and are stored as they grow. */
export interface Chat extends AsyncDisposable {
  list(filter?: { readonly owner?: string; readonly limit?: number }): Promise<readonly Conversation[]>;
  create(conversation: NewConversation): Promise<Conversation>;
  read(id: string): Promise<{ readonly conversation: Conversation; readonly messages: readonly Message[] } | undefined>;
  update(id: string, change: { readonly title?: string; readonly assistantId?: string }): Promise<Conversation>;
  remove(id: string): Promise<boolean>;
  /** Sends a message; resolves with the answer as it starts. A running answer is stopped first and its pending approvals are denied. */
  send(id: string, text: string): Promise<Message>;
  /** Generates an answer again; deletes this answer and all later messages. */
  retry(id: string, message: string): Promise<Message>;
  /** Replaces a user's message and answers it; deletes all later messages. */
  edit(id: string, message: string, text: string): Promise<Message>;
  /** Continues an answer that was stopped, was interrupted, reached a limit or failed. */
  resume(id: string): Promise<Message>;
  /** Stops the running answer; resolves when it has stopped. */
  stop(id: string): Promise<void>;
  /**
   * Subscribes to the events of a conversation; returns the function that unsubscribes. To miss nothing, subscribe first, then `read`:
   * its result includes every event delivered before it resolved and none delivered after.
   */
  watch(id: string, listener: (event: ChatEvent) => void): () => void;
  /** Stops all answers and stores them as interrupted. Answers that only wait for approval continue at the next start. */
  close(): Promise<void>;
}

/** What conversations need. */
export interface ChatPorts extends AssistantPorts {
  readonly toolbox: Pick<InternalToolbox, 'tools' | 'catalog' | 'servers' | 'config' | 'start' | 'on'>;
  /** The host of a tool call: it answers the server's questions, with the assistant's model for sampling. */
  readonly hostFor: (call: { readonly id: string; readonly caller: Caller }, model: OpenedModel) => CallHost;
  /** Shows after a restart whether a call had started. */
  readonly journal: Pick<Journal, 'get'>;
  readonly storage: Pick<Storage, 'assistants' | 'conversations'>;
  readonly models: Models;
  /** Denies the pending approvals of a conversation with a reason. */
  readonly denyApprovals: (conversation: string, reason: string) => Promise<void>;
  /** Called when the conversation itself (not its messages) changes or is removed. */
  readonly onChanged?: (change: ConversationChange) => void;
  readonly log: Log;
  readonly clock?: Clock;
  /** How often to look for conversations that another replica abandoned; 30 000. */
  readonly recoveryIntervalMs?: number;
}

export type ConversationChange =
  | { readonly kind: 'changed'; readonly conversation: Conversation }
  | { readonly kind: 'removed'; readonly id: string; readonly owner: string };

/** What the tools of an assistant depend on. */
export interface AssistantPorts {
  readonly toolbox: Pick<InternalToolbox, 'tools' | 'catalog' | 'servers' | 'config'>;
  /** The names of stored servers by id. The id of a server in the configuration file is its name. */
  readonly serverNames: () => Promise<ReadonlyMap<string, string>>;
}
