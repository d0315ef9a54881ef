import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import type { Provider } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';

export interface RemoveProviderProps {
  /** Undefined asks nothing. */
  readonly provider: Provider | undefined;
  readonly onClose: () => void;
}

/** Asks, then removes a provider and its key. Says who would be left without a model. */
export function RemoveProvider({ provider, onClose }: RemoveProviderProps) {
  const client = useQueryClient();
  const toast = useToast();
  const users = (useQuery(queries.assistants()).data ?? []).filter(({ model }) => model.provider === provider?.id);
  const removing = useMutation({
    mutationFn: (id: string) => api.removeProvider({ path: { provider: id } }),
    onSuccess() {
      toast('The provider is removed.');
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
      <p>It is forgotten together with its key.</p>
      {users.length > 0 && (
        <p className="mt-2">
          {users.length === 1 ? 'One assistant uses it and' : `${users.length} assistants use it and`} can't answer
          until given another model:{' '}
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
