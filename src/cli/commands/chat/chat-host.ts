import type { AssistantTools } from '../../../chat/assistant-tools.ts';
import type { Chat } from '../../../chat/chat.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { CommandContext } from '../../command.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { Floor } from './floor.ts';

/** What may be other than the assistant has it, for as long as one chat lasts. */
export type AssistantChanges = Partial<Pick<Assistant, 'model' | 'serverIds' | 'toolApproval'>>;

/** Where conversations are had: in this process, or in the running gateway. */
export interface ChatHost extends AsyncDisposable {
  readonly chat: Chat;
  readonly settings: ChatSettings;
  /** The running gateway's address. */
  readonly gateway?: string;
  /** Changes an assistant until this is closed, for these conversations only; gives the one to talk with. */
  vary(assistant: Assistant, changes: AssistantChanges): Promise<Assistant>;
  /** The tools an assistant has now. */
  tools(assistant: Assistant): Promise<AssistantTools>;
  /** Takes up a conversation: what is asked in it is put to the person here. Returns the function that ends that. */
  attend(conversation: string): () => void;
  /** The calls that were denied because nobody could be asked about them. */
  readonly unasked: ReadonlySet<string>;
  /** Rejects when conversations can't be followed any more. */
  readonly lost: Promise<never>;
}

export interface HostOptions {
  readonly context: CommandContext;
  readonly floor: Floor;
}

/** Whose the conversations of the command line are: the administrator's, as with the gateway's own token. */
export const owner = 'admin';
