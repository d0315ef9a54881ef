import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useToast } from '../../components/Toasts.tsx';
import { saveDraft } from './use-draft.ts';

/** Starts a conversation with its first message and opens it. `onCreated` runs before the message is sent. */
export function useStartConversation(onCreated?: () => void) {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    async mutationFn({ assistantId, text }: { readonly assistantId: string; readonly text: string }) {
      const { id } = await api.createConversation({ body: { assistantId } });
      onCreated?.();
      try {
        await api.sendMessage({ path: { conversation: id }, body: { text } });
      } catch (error) {
        // The conversation exists: the message becomes its draft.
        saveDraft(id, text);
        toast.error(error);
      }
      return id;
    },
    onSuccess(id) {
      void client.invalidateQueries({ queryKey: ['conversations'] });
      navigate(`/chat/${id}`);
    },
    onError: toast.error,
  });
}
