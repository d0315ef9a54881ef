import { useQueryClient } from '@tanstack/react-query';
import { type Assistant, api } from '../../../api/client.ts';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { chatQueries } from '../queries.ts';

export interface DeleteAssistantProps {
  /** The assistant to delete. The dialog is closed without one. */
  readonly assistant: Pick<Assistant, 'id' | 'name'> | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

/** Asks for confirmation and deletes an assistant. */
export function DeleteAssistant({ assistant, onClose, onDeleted }: DeleteAssistantProps) {
  const client = useQueryClient();
  return (
    <RemovalDialog
      item={assistant}
      title={({ name }) => `Delete ${safeText(name, 100)}?`}
      action="Delete"
      remove={({ id }) => api.removeAssistant({ path: { assistant: id } })}
      done="Assistant deleted."
      queryKey="assistants"
      onClose={onClose}
      onRemoved={({ id }) => {
        onDeleted?.();
        client.setQueryData(chatQueries.assistants().queryKey, (all) => all?.filter((other) => other.id !== id));
      }}
    >
      {() =>
        'Its instructions and settings will be deleted permanently. Its conversations stay and can continue with another assistant.'
      }
    </RemovalDialog>
  );
}
