import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import type { Provider } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { pluralize } from '../../../components/pluralize.ts';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';

export interface RemoveProviderProps {
  /** The provider to remove. The dialog is closed without one. */
  readonly provider: Provider | undefined;
  readonly onClose: () => void;
}

/** Asks for confirmation and removes a provider. Names the assistants that use it. */
export function RemoveProvider({ provider, onClose }: RemoveProviderProps) {
  const client = useQueryClient();
  const toast = useToast();
  const users = (useQuery(queries.assistants()).data ?? []).filter(({ model }) => model.provider === provider?.id);
  const removing = useMutation({
    mutationFn: (id: string) => api.removeProvider({ path: { provider: id } }),
    onSuccess() {
      toast('Provider removed.');
      onClose();
      return client.invalidateQueries({ queryKey: ['providers'] });
    },
    onError: toast.error,
  });
  return (
    <ConfirmDialog
      open={provider !== undefined}
      title={`Remove ${safeText(provider?.name, 100)}?`}
      action="Remove"
      busy={removing.isPending}
      onConfirm={() => provider && removing.mutate(provider.id)}
      onClose={onClose}
    >
      <p>The provider and its key will be deleted.</p>
      {users.length > 0 && (
        <p className="mt-2">
          {pluralize(users.length, 'assistant uses it', 'assistants use it')} and cannot answer without another model:{' '}
          {users
            .slice(0, 5)
            .map(({ name }) => safeText(name, 60))
            .join(', ')}
          {users.length > 5 && ' …'}
        </p>
      )}
    </ConfirmDialog>
  );
}
