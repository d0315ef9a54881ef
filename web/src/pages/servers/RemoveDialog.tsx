import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

export interface RemoveDialogProps {
  readonly server: string;
  readonly onClose: (isRemoved: boolean) => void;
}

/** Asks for confirmation and removes a server. */
export function RemoveDialog({ server, onClose }: RemoveDialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const name = safeText(server, 100);
  const removing = useMutation({
    mutationFn: () => api.removeServer({ path: { server } }),
    onSuccess: () => {
      toast(`Removed '${name}'.`);
      onClose(true);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return (
    <ConfirmDialog
      open
      title={`Remove '${name}'?`}
      action="Remove"
      busy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onClose={() => onClose(false)}
    >
      <p>The server is disconnected, and its settings and secrets are deleted. Its calls stay in the journal.</p>
      {removing.isError && (
        <div className="mt-3">
          <ErrorNotice error={removing.error} />
        </div>
      )}
    </ConfirmDialog>
  );
}
