import type { CallHost } from '../invocation/call.ts';
import type { Journal } from '../invocation/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Caller } from '../kernel/tool.ts';
import type { Conversation } from '../storage/ports/conversation-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { Toolbox } from '../toolbox-types.ts';
import type { Models, OpenedModel } from './models/models.ts';

/** What conversations are made with. */
export interface ChatPorts extends AssistantPorts {
  readonly toolbox: Pick<Toolbox, 'tools' | 'entry' | 'servers' | 'config' | 'start' | 'on'>;
  /** The host of a tool call: it answers the server's questions, with the assistant's model for sampling. */
  readonly hostFor: (call: { readonly id: string; readonly caller: Caller }, model: OpenedModel) => CallHost;
  /** Tells, after a restart, whether a call had begun. */
  readonly journal: Pick<Journal, 'get'>;
  readonly storage: Pick<Storage, 'assistants' | 'conversations'>;
  readonly models: Models;
  /** Answers no, for this reason, to the questions to a person that are open in a conversation; those of its calls that wait for them end. */
  readonly denyQuestions: (conversation: string, reason: string) => Promise<void>;
  /** Hears of every change of a conversation as a whole, and of its end. */
  readonly onChanged?: (change: ConversationChange) => void;
  readonly log: Log;
  readonly clock?: Clock;
  /** How often to look for conversations that another process of the fleet left behind; 30 000. */
  readonly lookEveryMs?: number;
}

export type ConversationChange =
  | { readonly kind: 'changed'; readonly conversation: Conversation }
  | { readonly kind: 'removed'; readonly id: string; readonly owner: string };

/** What it takes to say which tools an assistant has. */
export interface AssistantPorts {
  readonly toolbox: Pick<Toolbox, 'tools' | 'entry' | 'servers' | 'config'>;
  /** The names of the stored servers by their ids. A server of the configuration file goes by its name alone. */
  readonly serverNames: () => Promise<ReadonlyMap<string, string>>;
}
