import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ApiError, type AttachmentInput, api, type ModelChoice } from '../../api/client.ts';
import { useToast } from '../../components/Toasts.tsx';
import { saveDraft } from './use-draft.ts';

export interface FirstMessage {
  readonly assistantId: string;
  readonly model?: ModelChoice;
  readonly text: string;
  readonly attachments?: AttachmentInput[];
}

/** Starts a conversation with its first message and opens it. `onStarted` runs unless the gateway refused the message. */
export function useStartConversation(onStarted?: () => void) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    async mutationFn({ assistantId, model, ...body }: FirstMessage) {
      const { id } = await api.createConversation({ body: { assistantId, model } });
      const path = { conversation: id };
      try {
        await api.sendMessage({ path, body });
      } catch (error) {
        // A refused message stays where it is, with its files.
        if (error instanceof ApiError && error.status === 400) {
          await api.removeConversation({ path });
          throw error;
        }
        // The conversation exists: the message becomes its draft.
        saveDraft(id, body.text);
        toast.error(error);
      }
      onStarted?.();
      return id;
    },
    onSuccess(id) {
      void client.invalidateQueries({ queryKey: ['conversations'] });
      navigate(`/chat/${id}`);
    },
    onError: toast.error,
  });
}
