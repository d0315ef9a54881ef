import { Plus, Star } from 'lucide-react';
import { type Account, api, type PersonalServer } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';

interface ServerAccountsProps {
  readonly server: PersonalServer;
  readonly accounts: readonly Account[];
  /** Whether a call waits for an account at this server. */
  readonly isAsked: boolean;
  /** With the label of an account, that account gets new credentials. */
  readonly onConnect: (label?: string) => void;
  readonly onRemove: (account: Account) => void;
}

/** The person's accounts at one server. */
export function ServerAccounts({ server, accounts, isAsked, onConnect, onRemove }: ServerAccountsProps) {
  const choosing = useAction({
    run: (account: string) => api.changeAccount({ path: { account }, body: { isDefault: true } }),
    refetch: ['accounts'],
  });
  const name = safeText(server.server, 100);
  const isConnected = accounts.some(({ state }) => state === 'connected');
  return (
    <Card aria-label={name} className={isAsked && !isConnected ? 'border-accent' : undefined}>
      <CardHeader
        title={
          <span className="flex flex-wrap items-center gap-2">
            {name}
            {!isConnected && <StatusBadge tone="warn">Not connected</StatusBadge>}
          </span>
        }
        hint={server.description === undefined ? undefined : safeText(server.description, 300)}
        actions={
          <Button size="small" look={isConnected ? 'secondary' : 'primary'} onClick={() => onConnect()} icon={Plus}>
            {accounts.length === 0 ? 'Connect account' : 'Connect another'}
          </Button>
        }
      />
      {isAsked && !isConnected && (
        <p className="px-4 pt-3 text-ink-soft">
          A call needs your account here. If it waits, it goes on when you have connected one.
        </p>
      )}
      {accounts.length === 0 ? (
        <p className="px-4 py-3 text-ink-soft">
          {server.fields.length === 0
            ? 'You sign in at the service. Toolwharf stores the tokens encrypted.'
            : 'You enter a token or key of the service. Toolwharf stores it encrypted.'}
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {accounts.map((account) => (
            <li key={account.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
              <div className="flex min-w-48 flex-1 flex-wrap items-center gap-2">
                <span className="font-medium break-words">{safeText(account.label, 60)}</span>
                {account.state === 'connected' ? (
                  <StatusBadge tone="good">Connected</StatusBadge>
                ) : (
                  <StatusBadge tone="warn">Sign-in needed</StatusBadge>
                )}
                {account.isDefault && accounts.length > 1 && (
                  <Badge tone="accent">
                    <Star aria-hidden />
                    Default
                  </Badge>
                )}
                <span className="text-xs text-ink-faint">
                  <TimeAgo at={account.createdAt} />
                </span>
              </div>
              <div className="flex flex-wrap gap-2">
                {account.state === 'pending' && (
                  <Button size="small" look="primary" onClick={() => onConnect(account.label)}>
                    {server.fields.length === 0 ? 'Sign in' : 'Enter credentials'}
                  </Button>
                )}
                {!account.isDefault && account.state === 'connected' && (
                  <Button size="small" busy={choosing.isPending} onClick={() => choosing.mutate(account.id)}>
                    Use by default
                  </Button>
                )}
                <Button size="small" onClick={() => onRemove(account)}>
                  Disconnect
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
