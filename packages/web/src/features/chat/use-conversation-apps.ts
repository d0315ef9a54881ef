import { useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import type { AppChat } from '../../components/app-chat.ts';

/** What an app gives the model with the next message. */
export interface AppContext {
  readonly call: string;
  readonly server: string;
  readonly text: string;
}

export interface AppContexts {
  /** The contexts that the next message contains. */
  readonly contexts: readonly AppContext[];
  /** Discards a context; that app gives no other until it is opened again. */
  discard(call: string): void;
  clear(): void;
}

const maxContexts = 8;

/** The conversation as its apps see it. The contexts are sent with the next message and not again, as the extension says. */
export function useConversationApps(
  conversation: string,
  isIdle: boolean,
): AppContexts & { readonly appChat: AppChat } {
  const [contexts, setContexts] = useState<readonly AppContext[]>([]);
  const [refused] = useState(() => new Set<string>());
  const appChat = useMemo<AppChat>(
    () => ({
      isIdle,
      async send(call, text) {
        const body = { text: '', apps: [{ call, kind: 'message' as const, text }] };
        await api.sendMessage({ path: { conversation }, body });
      },
      setContext(call, server, text) {
        if (text === undefined) refused.delete(call);
        setContexts((before) => {
          const others = before.filter((context) => context.call !== call);
          const added = text === undefined || refused.has(call) ? [] : [{ call, server, text }];
          if (added.length === 0 && others.length === before.length) return before;
          return [...others, ...added].slice(-maxContexts);
        });
      },
    }),
    [conversation, isIdle, refused],
  );
  return {
    appChat,
    contexts,
    discard(call) {
      refused.add(call);
      setContexts((before) => before.filter((context) => context.call !== call));
    },
    clear: () => setContexts([]),
  };
}
