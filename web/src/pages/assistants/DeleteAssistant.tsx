import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

export interface DeleteAssistantProps {
  /** Undefined asks nothing. */
  readonly assistant: Pick<Assistant, 'id' | 'name'> | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

/** Asks, then deletes. */
export function DeleteAssistant({ assistant, onClose, onDeleted }: DeleteAssistantProps) {
  const client = useQueryClient();
  const toast = useToast();
  const deleting = useMutation({
    mutationFn: (id: string) => api.removeAssistant({ path: { assistant: id } }),
    onSuccess(_nothing, id) {
      toast('The assistant is deleted.');
      onClose();
      onDeleted?.();
      client.setQueryData(queries.assistants().queryKey, (known) => known?.filter((one) => one.id !== id));
      return client.invalidateQueries({ queryKey: ['assistants'] });
    },
    onError: toast.error,
  });
  return (
    <ConfirmDialog
      open={assistant !== undefined}
      title={`Delete ${safeText(assistant?.name, 100)}?`}
      action="Delete"
      busy={deleting.isPending}
      onConfirm={() => assistant && deleting.mutate(assistant.id)}
      onClose={onClose}
    >
      Its instructions and settings are gone for good. Conversations with it stay and can be read, and go on with
      another assistant.
    </ConfirmDialog>
  );
}
