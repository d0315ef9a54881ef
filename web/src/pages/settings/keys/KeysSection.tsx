import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { KeyList } from './KeyList.tsx';
import { RevokeKey } from './RevokeKey.tsx';

/** The keys that clients prove themselves with. */
export function KeysSection() {
  // Nobody tells when a key was used last: it is asked for whenever the list is opened.
  const keys = useQuery({ ...queries.keys(), staleTime: 0 });
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const good = keys.data?.filter(({ revokedAt }) => revokedAt === undefined) ?? [];
  const ended = keys.data?.filter(({ revokedAt }) => revokedAt !== undefined) ?? [];
  return (
    <Card>
      <CardHeader
        title="API keys"
        hint="For MCP clients and programs. Only a hash of each is kept."
        actions={
          <Button size="small" look="primary" onClick={() => setMaking(true)}>
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
          <Spinner label="Loading the keys …" />
        </div>
      )}
      {keys.data && good.length === 0 && (
        <EmptyState icon={<KeyRound aria-hidden />} title="No keys">
          A client on another machine needs one, and so does every client where authentication is required.
        </EmptyState>
      )}
      {good.length > 0 && <KeyList label="Keys" keys={good} onRevoke={setRevoked} />}
      {ended.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-2 text-ink-soft">Revoked ({ended.length})</summary>
          <KeyList label="Revoked keys" keys={ended} />
        </details>
      )}
      {isMaking && <KeyDialog onClose={() => setMaking(false)} />}
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Card>
  );
}
