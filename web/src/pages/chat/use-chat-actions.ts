import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';
import { useTell } from '../../components/Toasts.tsx';

/** What can be done in a conversation besides saying something. What comes of it is heard from its stream. */
export interface ChatActions {
  retry(message: string): void;
  edit(message: string, text: string): void;
  resume(): void;
  stop(): void;
}

/** The actions never change for one conversation; `busy` until the gateway has taken the last one. */
export function useChatActions(conversation: string): { readonly actions: ChatActions; readonly busy: boolean } {
  const tell = useTell();
  const { mutate, isPending } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: tell.failed,
  });
  const actions = useMemo(
    () => ({
      retry: (message: string) => mutate(() => api.retryMessage({ path: { conversation, message } })),
      edit: (message: string, text: string) =>
        mutate(() => api.editMessage({ path: { conversation, message }, body: { text } })),
      resume: () => mutate(() => api.resumeConversation({ path: { conversation } })),
      stop: () => mutate(() => api.stopConversation({ path: { conversation } })),
    }),
    [conversation, mutate],
  );
  return { actions, busy: isPending };
}
