import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

export interface DeleteAssistantProps {
  /** The assistant to delete. The dialog is closed without one. */
  readonly assistant: Pick<Assistant, 'id' | 'name'> | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

/** Asks for confirmation and deletes an assistant. */
export function DeleteAssistant({ assistant, onClose, onDeleted }: DeleteAssistantProps) {
  const client = useQueryClient();
  const toast = useToast();
  const deleting = useMutation({
    mutationFn: (id: string) => api.removeAssistant({ path: { assistant: id } }),
    onSuccess(_nothing, id) {
      toast('Assistant deleted.');
      onClose();
      onDeleted?.();
      client.setQueryData(queries.assistants().queryKey, (assistants) => assistants?.filter((item) => item.id !== id));
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
      Its instructions and settings will be deleted permanently. Its conversations stay and can continue with another
      assistant.
    </ConfirmDialog>
  );
}
