import type { Assistant } from '../../../contract/records/assistant.ts';
import type { PortsKey } from '../../core/feature-api.ts';
import type { AssistantTools } from './assistant-tools.ts';
import type { Models } from './models/models.ts';
import type { SharedChat } from './shared-chat.ts';

/** The ports of the routes for conversations, assistants and models. */
export interface ChatApi {
  readonly conversations: SharedChat;
  readonly models: Models;
  /** The tools an assistant has for a caller of `profile`. */
  readonly assistantTools: (assistant: Omit<Assistant, 'id'>, profile?: string) => Promise<AssistantTools>;
}

export const chatPorts: PortsKey<ChatApi> = { feature: 'chat' };
