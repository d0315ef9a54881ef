import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { useAction } from '../../components/use-action.ts';

/** The actions in a conversation besides sending a message. Their effects arrive as events of the conversation. */
export interface ChatActions {
  retry(message: string): void;
  edit(message: string, text: string): void;
  /** Selects the branch of a version of a message. */
  select(message: string): void;
  resume(): void;
  stop(): void;
}

/** The actions of a conversation, and whether one is in progress. */
export function useChatActions(conversation: string): { readonly actions: ChatActions; readonly busy: boolean } {
  const { mutate, isPending } = useAction({ run: (action: () => Promise<unknown>) => action() });
  const actions = useMemo(
    () => ({
      retry: (message: string) => mutate(() => api.retryMessage({ path: { conversation, message } })),
      edit: (message: string, text: string) =>
        mutate(() => api.editMessage({ path: { conversation, message }, body: { text } })),
      select: (message: string) => mutate(() => api.selectMessage({ path: { conversation, message } })),
      resume: () => mutate(() => api.resumeConversation({ path: { conversation } })),
      stop: () => mutate(() => api.stopConversation({ path: { conversation } })),
    }),
    [conversation, mutate],
  );
  return { actions, busy: isPending };
}
