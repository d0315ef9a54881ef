import { useQuery } from '@tanstack/react-query';
import type { Account } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { text } from '../../text/text.ts';

/** The accounts of other people, for administrators. */
export function EveryAccount({ onRemove }: { readonly onRemove: (account: Account) => void }) {
  const found = useQuery({ ...queries.everyAccount(), staleTime: 0 });
  const others = found.data?.accounts.filter(({ isOwn }) => !isOwn) ?? [];
  if (others.length === 0) return null;
  return (
    <Card aria-label={text.accounts.others}>
      <CardHeader title={text.accounts.others} hint={text.accounts.othersHint} />
      <ul className="divide-y divide-line">
        {others.map((account) => (
          <li key={account.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <div className="flex min-w-48 flex-1 flex-wrap items-center gap-2">
              <span className="font-medium break-words">{safeText(account.ownerName ?? account.owner ?? '', 100)}</span>
              <span className="text-ink-soft">
                {text.accounts.accountAt(safeText(account.label, 60), safeText(account.server, 100))}
              </span>
              <StatusBadge tone={account.state === 'connected' ? 'good' : 'warn'}>
                {text.accounts.state[account.state]}
              </StatusBadge>
              <span className="text-xs text-ink-faint">
                <TimeAgo at={account.createdAt} />
              </span>
            </div>
            <Button size="small" onClick={() => onRemove(account)}>
              {text.common.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
