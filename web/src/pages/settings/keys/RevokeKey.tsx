import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import type { ApiKey } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';

export interface RevokeKeyProps {
  /** Undefined asks nothing. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

/** Asks, then ends a key. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const client = useQueryClient();
  const toast = useToast();
  const revoking = useMutation({
    mutationFn: (key: string) => api.revokeKey({ path: { key } }),
    onSuccess: () => toast('The key is revoked.'),
    onError: toast.error,
    onSettled() {
      onClose();
      return client.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <ConfirmDialog
      open={apiKey !== undefined}
      title={`Revoke ${safeText(apiKey?.name, 100)}?`}
      action="Revoke"
      busy={revoking.isPending}
      onConfirm={() => apiKey && revoking.mutate(apiKey.id)}
      onClose={onClose}
    >
      Whoever uses it is locked out at once. It can't be made good again; make a new one instead.
    </ConfirmDialog>
  );
}
