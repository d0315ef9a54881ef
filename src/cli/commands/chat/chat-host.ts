import type { AssistantTools } from '../../../chat/assistant-tools.ts';
import type { Chat } from '../../../chat/chat.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { Conversation } from '../../../storage/ports/conversation-store.ts';
import type { CommandContext } from '../../command-context.ts';
import type { TerminalLock } from '../../terminal/terminal-lock.ts';
import type { ChatSettings } from './chat-settings.ts';

/** The settings of an assistant that a chat can override. */
export type AssistantOverrides = Partial<Pick<Assistant, 'model' | 'serverIds' | 'toolApproval' | 'expose'>>;

/** Runs conversations in this process or in the running gateway. */
export interface ChatHost extends AsyncDisposable {
  readonly chat: Chat;
  readonly settings: ChatSettings;
  /** The URL of the running gateway; undefined if conversations run in this process. */
  readonly gateway?: string;
  /** Overrides settings of an assistant for the conversations of this host; returns the assistant to use. */
  override(assistant: Assistant, overrides: AssistantOverrides): Promise<Assistant>;
  /** The tools that an assistant can use now. */
  tools(assistant: Assistant): Promise<AssistantTools>;
  /** Prompts the person at the terminal for everything a conversation asks; returns the function that stops it. */
  attend(conversation: string): () => void;
  /** The ids of calls that were denied because there is no terminal. */
  readonly unanswerable: ReadonlySet<string>;
  /** Rejects when the connection to the gateway is lost. */
  readonly lost: Promise<never>;
}

export interface HostOptions {
  readonly context: CommandContext;
  readonly lock: TerminalLock;
}

/** The owner of conversations started on the command line: the administrator, as with the gateway's admin token. */
export const owner = 'admin';

/** The conversations of the person at the terminal, latest first. The local user of the web app is the same person. */
export async function listOwnConversations(chat: Pick<Chat, 'list'>): Promise<readonly Conversation[]> {
  const conversations = await chat.list({ limit: 1_000 });
  return conversations.filter((conversation) => conversation.owner === owner || conversation.owner === 'local');
}
