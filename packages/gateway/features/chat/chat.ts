import type { ChatChange, ChatContent } from '../../../contract/apply-chat-event.ts';
import type { ModelChoice } from '../../../contract/records/assistant.ts';
import type { AppPart, Conversation, Message } from '../../../contract/records/conversation.ts';
import type { CallHost } from '../../../toolwharf/invocation/call.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { Attachment } from '../../../toolwharf/storage/ports/conversation-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox-types.ts';
import type { NewAttachment } from './attachments.ts';
import type { Models, OpenedModel } from './models/models.ts';
import type { ConversationMatches, SearchOptions } from './search-conversations.ts';

/** A conversation with everything said in it. */
export type ConversationContent = ChatContent<Conversation, Message>;

export type ChatEvent = ChatChange<Conversation, Message>;

export interface NewConversation {
  /** The first assistant by name if absent. */
  readonly assistantId?: string;
  readonly model?: ModelChoice;
  readonly owner: string;
  readonly profile?: string;
  readonly title?: string;
}

export interface ConversationUpdate {
  readonly title?: string;
  /** Also returns to the assistant's model. */
  readonly assistantId?: string;
  /** `null` returns to the assistant's model. */
  readonly model?: ModelChoice | null;
}

/** Conversations with assistants. Answers are generated whether or not a client watches, and are stored as they grow. */
export interface Chat extends AsyncDisposable {
  list(filter?: { readonly owner?: string; readonly limit?: number }): Promise<readonly Conversation[]>;
  create(conversation: NewConversation): Promise<Conversation>;
  /** Conversations whose title or messages contain all words of the query, latest first. */
  search(options: SearchOptions): Promise<ConversationMatches>;
  /** The conversation with the messages of the selected branch. */
  read(id: string): Promise<{ readonly conversation: Conversation; readonly messages: readonly Message[] } | undefined>;
  /** All messages of all branches, oldest first; undefined if there is no conversation. */
  readBranches(
    id: string,
  ): Promise<{ readonly conversation: Conversation; readonly messages: readonly Message[] } | undefined>;
  /** The content of an attachment, as base64. */
  readAttachment(id: string, attachment: string): Promise<Attachment | undefined>;
  update(id: string, change: ConversationUpdate): Promise<Conversation>;
  remove(id: string): Promise<boolean>;
  /** Sends a message; resolves with the answer as it starts. A running answer is stopped first and its pending approvals are denied. */
  send(id: string, text: string, attachments?: readonly NewAttachment[], apps?: readonly AppPart[]): Promise<Message>;
  /** Generates another version of an answer. The earlier version and the messages after it stay in their branch. */
  retry(id: string, message: string): Promise<Message>;
  /** Answers another version of a user's message, with the same attachments and texts of apps. The earlier version and the messages after it stay. */
  edit(id: string, message: string, text: string): Promise<Message>;
  /** Selects the branch of a version of a message, up to its newest message. Rejects with `CONFLICT` while an answer is running. */
  select(id: string, message: string): Promise<void>;
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

/** The dependencies of conversations. */
export interface ChatPorts extends AssistantPorts {
  readonly toolbox: AssistantPorts['toolbox'] & Pick<InternalToolbox, 'start' | 'on' | 'redactForModel'>;
  /** The host of a tool call: it answers the server's questions, with the assistant's model for sampling. */
  readonly hostFor: (call: { readonly id: string; readonly caller: Caller }, model: OpenedModel) => CallHost;
  /** Shows after a restart whether a call had started. The chat ends the scripts that it does not continue. */
  readonly journal: Pick<Journal, 'get' | 'write'>;
  readonly storage: Pick<Storage, 'assistants' | 'conversations'>;
  readonly models: Models;
  /** Waits for a tool whose server another replica is about to run; undefined if there is nothing to wait for. */
  readonly waitForTools?: (tool: string) => Promise<void> | undefined;
  /** Denies the pending approvals of a conversation with a reason. */
  readonly denyApprovals: (conversation: string, reason: string) => Promise<void>;
  /** Rejects if the owner of a conversation has lost the access with which it began. */
  readonly assertAccess?: (conversation: Pick<Conversation, 'owner' | 'profile'>) => Promise<void>;
  /** Called when the conversation itself (not its messages) changes or is removed. */
  readonly onChanged?: (change: ConversationChange) => void;
  readonly log: Log;
  /** How often to look for conversations that another replica abandoned; 30 000. */
  readonly recoveryIntervalMs?: number;
}

export type ConversationChange =
  | { readonly kind: 'changed'; readonly conversation: Conversation }
  | { readonly kind: 'removed'; readonly id: string; readonly owner: string };

/** The settings that determine the tools of an assistant. */
export interface AssistantPorts {
  readonly toolbox: Pick<
    InternalToolbox,
    | 'toolsOf'
    | 'catalog'
    | 'servers'
    | 'skills'
    | 'config'
    | 'isListed'
    | 'runsScripts'
    | 'observeOutput'
    | 'embed'
    | 'recordSearch'
    | 'listServers'
    | 'waitForTools'
  >;
  /** The names of stored servers by id. The id of a server in the configuration file is its name. */
  readonly serverNames: () => Promise<ReadonlyMap<string, string>>;
}
