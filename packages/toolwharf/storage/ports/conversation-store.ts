import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation, Message } from '../../../contract/records/conversation.ts';

export interface ConversationFilter {
  readonly owner?: string;
  /** 100. */
  readonly limit?: number;
}

/** The content of an attachment, as base64. */
export interface Attachment {
  readonly id: string;
  readonly sizeBytes: number;
  readonly data: string;
}

export interface ConversationSearch {
  readonly owners: readonly string[];
  /** Folded with `foldText`; every word must occur. */
  readonly words: readonly string[];
  /** Maximum number of conversations. */
  readonly limit: number;
}

/** A conversation that a search found. */
export interface FoundConversation {
  readonly conversation: Conversation;
  /** The newest matching messages, newest first; empty if only the title matches. */
  readonly messages: readonly Message[];
}

/** The conversations that a search found, and how many there are in all. */
export interface FoundConversations {
  /** Latest first. */
  readonly matches: readonly FoundConversation[];
  /** Includes those beyond the limit. */
  readonly total: number;
}

/** The store of conversations. */
export interface ConversationStore {
  /** Most recently changed first. */
  list(filter?: ConversationFilter): Promise<readonly Conversation[]>;
  get(id: string): Promise<Conversation | undefined>;
  /** Adds the conversation with this process as its owner, or replaces the one with the same id. */
  put(conversation: Conversation): Promise<void>;
  /** Removes the conversation with its messages and attachments; returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
  /** Of all branches, oldest first. */
  messages(conversation: string): Promise<readonly Message[]>;
  /** Appends the message, or replaces the one with the same id. Rejects with `NOT_FOUND` if there is no conversation. */
  putMessage(conversation: string, message: Message): Promise<void>;
  /** Conversations whose title or messages contain all words, latest first. Words with a typo are found if nothing else is. */
  search(search: ConversationSearch): Promise<FoundConversations>;
  /** Stores an attachment. Rejects with `NOT_FOUND` if there is no conversation. */
  putAttachment(conversation: string, attachment: Attachment): Promise<void>;
  attachment(conversation: string, id: string): Promise<Attachment | undefined>;
  /** The number and the total size of the attachments of a conversation. */
  attachmentTotals(conversation: string): Promise<{ readonly count: number; readonly sizeBytes: number }>;
  /** Makes this process the owner; returns false if there is none with this id, or another live process is answering. */
  claim(id: string): Promise<boolean>;
  /**
   * Takes over the conversations that are not idle and have no live owner: their process stopped during an answer. The result
   * includes those that this process is answering.
   */
  abandoned(): Promise<readonly Conversation[]>;
}

/** The error for a conversation that does not exist. */
export function noConversation(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no conversation '${id}'`, { data: { conversation: id } });
}
