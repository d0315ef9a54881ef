import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Account, api } from '../../api/client.ts';
import { queries, query } from '../../api/queries.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { ConnectDialog } from './ConnectDialog.tsx';
import { ServerAccounts } from './ServerAccounts.tsx';

const stateTexts = { connected: 'Connected', pending: 'Sign-in needed' };

/** The caller's accounts, and the servers at which people have accounts. */
const accountsQuery = query(['accounts'], (signal) => api.listAccounts({ signal }));
/** The accounts of everybody. Only administrators see them. */
const everyAccountQuery = query(['accounts', 'all'], (signal) => api.listAccounts({ query: { all: 'true' }, signal }));

interface Connecting {
  readonly server: string;
  /** The account that gets new credentials; a new one if undefined. */
  readonly label?: string;
}

/** The person's own accounts at each server with per-user credentials. */
export default function AccountsPage() {
  const [search, setSearch] = useSearchParams();
  const session = useQuery(queries.session());
  // A sign-in may have ended in another tab.
  const found = useQuery({ ...accountsQuery, staleTime: 0, refetchInterval: 5_000 });
  const toast = useToast();
  const [connecting, setConnecting] = useState<Connecting>();
  const [removing, setRemoving] = useState<Account>();
  const connected = search.get('connected');
  const asked = search.get('server');

  useEffect(() => {
    if (connected === null) return;
    toast(`Your account at ${safeText(connected, 100)} is connected.`);
    setSearch({}, { replace: true });
  }, [connected, toast, setSearch]);

  const { servers = [], accounts = [] } = found.data ?? {};
  // The server that a call led the person to comes first.
  const ordered = [...servers].sort((one, other) => Number(other.server === asked) - Number(one.server === asked));
  const server = servers.find((one) => one.server === connecting?.server);
  return (
    <Page title="Accounts" description="Your own accounts at servers. Your calls use them, and nobody else can.">
      <QueryState query={found} what="accounts" />
      {found.data && servers.length === 0 && (
        <Card>
          <EmptyState
            icon={KeyRound}
            title="No server needs an account of yours"
            actions={<ButtonLink href="/servers">Show the servers</ButtonLink>}
          >
            Servers with the setting “credentials: per-user” appear here.
          </EmptyState>
        </Card>
      )}
      {ordered.map((one) => (
        <ServerAccounts
          key={one.server}
          server={one}
          isAsked={one.server === asked}
          accounts={accounts.filter((account) => account.server === one.server)}
          onConnect={(label) => setConnecting({ server: one.server, label })}
          onRemove={setRemoving}
        />
      ))}
      {session.data?.rights.includes('admin') && servers.length > 0 && <EveryAccount onRemove={setRemoving} />}
      {server && <ConnectDialog server={server} label={connecting?.label} onClose={() => setConnecting(undefined)} />}
      <RemovalDialog
        item={removing}
        title={({ label, server: name }) => `Disconnect ${safeText(label, 60)} at ${safeText(name, 100)}?`}
        action="Disconnect"
        remove={({ id }) => api.disconnectAccount({ path: { account: id } })}
        done="The account is disconnected."
        queryKey="accounts"
        onClose={() => setRemoving(undefined)}
      >
        {({ isOwn }) =>
          isOwn
            ? 'Toolwharf deletes its credentials and ends its running calls. A sign-in with OAuth is also revoked at the service, if it offers that.'
            : 'Toolwharf deletes the credentials and ends the running calls of this person at the server. A sign-in with OAuth is also revoked at the service, if it offers that.'
        }
      </RemovalDialog>
    </Page>
  );
}

/** The accounts of other people, for administrators. */
function EveryAccount({ onRemove }: { readonly onRemove: (account: Account) => void }) {
  const found = useQuery({ ...everyAccountQuery, staleTime: 0 });
  const others = found.data?.accounts.filter(({ isOwn }) => !isOwn) ?? [];
  if (others.length === 0) return null;
  return (
    <Card aria-label="Accounts of others">
      <CardHeader title="Accounts of others" hint="You can revoke them. Nobody sees their credentials." />
      <ul className="divide-y divide-line">
        {others.map((account) => (
          <li key={account.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
            <div className="flex min-w-48 flex-1 flex-wrap items-center gap-2">
              <span className="font-medium break-words">{safeText(account.ownerName ?? account.owner ?? '', 100)}</span>
              <span className="text-ink-soft">
                {`${safeText(account.label, 60)} at ${safeText(account.server, 100)}`}
              </span>
              <StatusBadge tone={account.state === 'connected' ? 'good' : 'warn'}>
                {stateTexts[account.state]}
              </StatusBadge>
              <span className="text-xs text-ink-faint">
                <TimeAgo at={account.createdAt} />
              </span>
            </div>
            <Button size="small" onClick={() => onRemove(account)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
