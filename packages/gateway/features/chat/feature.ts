import { messageOf } from '../../../contract/errors.ts';
import type { Feature } from '../../core/feature.ts';
import type { ChatApi } from './ports.ts';

/** How long the first look for interrupted answers waits, so that the first calls come first, and how often it is repeated. */
const lookAfterMs = 1_000;
const lookEveryMs = 30_000;
/** The same in a fleet, where other replicas may end. */
const lookInFleetMs = 5_000;

/** Assistants, conversations and the model loop. */
export const chat: Feature<ChatApi> = {
  name: 'chat',
  /**
   * The conversations open with the API, or to continue answers that a stopped process left: loading them takes as much time and memory
   * as the rest of the gateway, which many installations need only for MCP.
   */
  open({ storage, stopping, log, openApi }) {
    let timer = setTimeout(look, lookAfterMs).unref();

    async function look(): Promise<void> {
      try {
        // Once open, the conversations look for interrupted answers themselves.
        if ((await storage.conversations.abandoned()).length > 0) return await openApi();
      } catch (cause) {
        log.warning('chat.look-failed', messageOf(cause));
      }
      if (!stopping.aborted) timer = setTimeout(look, storage.fleet ? lookInFleetMs : lookEveryMs).unref();
    }

    return { close: () => clearTimeout(timer) };
  },
  async routes() {
    const [conversations, assistants, providers] = await Promise.all([
      import('./routes/conversations.ts'),
      import('./routes/assistants.ts'),
      import('./routes/providers.ts'),
    ]);
    return [...conversations.conversationRoutes, ...assistants.assistantRoutes, ...providers.providerRoutes];
  },
  openApi: async (core) => (await import('./open-chat-api.ts')).openChatApi(core),
};
