import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/api.ts';
import type { ApiKey } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { KeyList } from './KeyList.tsx';

/** The API keys of clients and programs. */
export function KeysSection() {
  // No event reports the last use of a key: the list is refetched when opened.
  const keys = useQuery({ ...queries.keys(), staleTime: 0 });
  const [isCreating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ApiKey>();
  const active = keys.data?.filter(({ revokedAt }) => revokedAt === undefined) ?? [];
  const revoked = keys.data?.filter(({ revokedAt }) => revokedAt !== undefined) ?? [];
  return (
    <Card>
      <CardHeader
        title="API keys"
        hint="For MCP clients and programs. Only a hash of each key is stored."
        actions={
          <Button size="small" look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            New key
          </Button>
        }
      />
      {keys.isError && (
        <div className="p-4">
          <ErrorNotice error={keys.error} onRetry={() => void keys.refetch()} />
        </div>
      )}
      {keys.isPending && (
        <div className="p-4">
          <Spinner label="Loading keys …" />
        </div>
      )}
      {keys.data && active.length === 0 && (
        <EmptyState icon={<KeyRound aria-hidden />} title="No keys yet">
          Clients on other machines need a key. If authentication is required, every client does. Create one with New
          key.
        </EmptyState>
      )}
      {active.length > 0 && <KeyList label="Keys" keys={active} onRevoke={setSelected} />}
      {revoked.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-2 text-ink-soft">Revoked ({revoked.length})</summary>
          <KeyList label="Revoked keys" keys={revoked} />
        </details>
      )}
      {isCreating && <KeyDialog onClose={() => setCreating(false)} />}
      <RevokeKey apiKey={selected} onClose={() => setSelected(undefined)} />
    </Card>
  );
}

interface RevokeKeyProps {
  /** The key to revoke. The dialog is closed without one. */
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const client = useQueryClient();
  const toast = useToast();
  const revoking = useMutation({
    mutationFn: (key: string) => api.revokeKey({ path: { key } }),
    onSuccess: () => toast('Key revoked.'),
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
      Clients that use the key lose access at once. This cannot be undone.
    </ConfirmDialog>
  );
}
