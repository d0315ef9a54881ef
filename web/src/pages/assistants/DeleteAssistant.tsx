import { useQueryClient } from '@tanstack/react-query';
import type { Assistant } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';

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
      title={({ name }) => text.assistants.delete.title(safeText(name, 100))}
      action={text.assistants.delete.action}
      remove={({ id }) => api.removeAssistant({ path: { assistant: id } })}
      done={text.assistants.delete.done}
      queryKey="assistants"
      onClose={onClose}
      onRemoved={({ id }) => {
        onDeleted?.();
        client.setQueryData(queries.assistants().queryKey, (all) => all?.filter((other) => other.id !== id));
      }}
    >
      {() => text.assistants.delete.detail}
    </RemovalDialog>
  );
}
