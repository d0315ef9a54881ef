import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { type ApiKey, api } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { useFirstPart } from '../../../components/use-first-part.tsx';
import { formatNumber } from '../../../text/formats.ts';
import { KeyDialog } from './KeyDialog.tsx';

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
          <Button size="small" look="primary" onClick={() => setCreating(true)} icon={Plus}>
            New key
          </Button>
        }
      />
      <QueryState query={keys} what="keys" className="p-4" />
      {keys.data && active.length === 0 && (
        <EmptyState
          icon={KeyRound}
          title="No keys yet"
          actions={<Button onClick={() => setCreating(true)}>Create a key</Button>}
        >
          Clients on other machines need a key. If authentication is required, every client does.
        </EmptyState>
      )}
      {active.length > 0 && <KeyList label="Keys" keys={active} onRevoke={setSelected} />}
      {revoked.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-2 text-ink-soft">
            {`Revoked (${formatNumber(revoked.length)})`}
          </summary>
          <KeyList label="Revoked keys" keys={revoked} />
        </details>
      )}
      {isCreating && <KeyDialog onClose={() => setCreating(false)} />}
      <RemovalDialog
        item={selected}
        title={({ name }) => `Revoke ${safeText(name, 100)}?`}
        action="Revoke"
        remove={({ id }) => api.revokeKey({ path: { key: id } })}
        done="Key revoked."
        queryKey="keys"
        onClose={() => setSelected(undefined)}
      >
        {() => 'Clients that use the key lose access at once. This cannot be undone.'}
      </RemovalDialog>
    </Card>
  );
}

const pageSize = 50;

interface KeyListProps {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  /** Undefined for revoked keys. */
  readonly onRevoke?: (key: ApiKey) => void;
}

/** A list of keys. */
function KeyList({ label, keys, onRevoke }: KeyListProps) {
  const [shown, more] = useFirstPart(keys, pageSize);
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line">
        {shown.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 flex-1 basis-60">
              <p className="flex flex-wrap items-center gap-1.5">
                <span className="mr-1 font-semibold break-words">{safeText(key.name, 100)}</span>
                {key.rights.map((right) => (
                  <Badge key={right} tone={right === 'admin' ? 'warn' : 'neutral'}>
                    {safeText(right, 20)}
                  </Badge>
                ))}
              </p>
              <p className="text-xs break-words text-ink-soft">
                {key.rights.includes('admin') ? 'all profiles' : `profile ${safeText(key.profile ?? 'default', 100)}`}
                {' · '}
                created <TimeAgo at={key.createdAt} />
                {' · '}
                {key.lastUsedAt === undefined ? (
                  'never used'
                ) : (
                  <>
                    used <TimeAgo at={key.lastUsedAt} />
                  </>
                )}
                {key.revokedAt !== undefined && ' · '}
                {key.revokedAt !== undefined && (
                  <>
                    revoked <TimeAgo at={key.revokedAt} />
                  </>
                )}
              </p>
            </div>
            {onRevoke && (
              <Button
                size="small"
                look="danger"
                aria-label={`Revoke ${safeText(key.name, 100)}`}
                onClick={() => onRevoke(key)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line px-4 py-2">{more}</div>}
    </>
  );
}
