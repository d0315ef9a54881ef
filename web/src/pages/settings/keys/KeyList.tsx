import { useState } from 'react';
import type { ApiKey } from '../../../api/client.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';

const pageSize = 50;

export interface KeyListProps {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  /** Undefined for revoked keys. */
  readonly onRevoke?: (key: ApiKey) => void;
}

/** A list of keys. */
export function KeyList({ label, keys, onRevoke }: KeyListProps) {
  const [shown, setShown] = useState(pageSize);
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line">
        {keys.slice(0, shown).map((key) => (
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
                {key.profile === undefined ? 'all profiles' : `profile ${safeText(key.profile, 100)}`} · created{' '}
                <TimeAgo at={key.createdAt} /> ·{' '}
                {key.lastUsedAt === undefined ? (
                  'never used'
                ) : (
                  <>
                    used <TimeAgo at={key.lastUsedAt} />
                  </>
                )}
                {key.revokedAt !== undefined && (
                  <>
                    {' '}
                    · revoked <TimeAgo at={key.revokedAt} />
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
      {keys.length > shown && (
        <div className="border-t border-line px-4 py-2">
          <Button size="small" onClick={() => setShown(shown + pageSize)}>
            Show more ({keys.length - shown})
          </Button>
        </div>
      )}
    </>
  );
}
