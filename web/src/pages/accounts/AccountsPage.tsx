import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Account } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { text } from '../../text/text.ts';
import { ConnectDialog } from './ConnectDialog.tsx';
import { EveryAccount } from './EveryAccount.tsx';
import { ServerAccounts } from './ServerAccounts.tsx';

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
  const found = useQuery({ ...queries.accounts(), staleTime: 0, refetchInterval: 5_000 });
  const toast = useToast();
  const [connecting, setConnecting] = useState<Connecting>();
  const [removing, setRemoving] = useState<Account>();
  const connected = search.get('connected');
  const asked = search.get('server');

  useEffect(() => {
    if (connected === null) return;
    toast(text.accounts.connected(safeText(connected, 100)));
    setSearch({}, { replace: true });
  }, [connected, toast, setSearch]);

  const { servers = [], accounts = [] } = found.data ?? {};
  // The server that a call led the person to comes first.
  const ordered = [...servers].sort((one, other) => Number(other.server === asked) - Number(one.server === asked));
  const server = servers.find((one) => one.server === connecting?.server);
  return (
    <Page title={text.accounts.title} description={text.accounts.description}>
      <QueryState query={found} what={text.accounts.noun} />
      {found.data && servers.length === 0 && (
        <Card>
          <EmptyState
            icon={<KeyRound aria-hidden />}
            title={text.accounts.empty.title}
            actions={<ButtonLink href="/servers">{text.tools.skillsTab.showServers}</ButtonLink>}
          >
            {text.accounts.empty.detail}
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
        title={({ label, server: name }) => text.accounts.disconnectTitle(safeText(label, 60), safeText(name, 100))}
        action={text.accounts.disconnect}
        remove={({ id }) => api.disconnectAccount({ path: { account: id } })}
        done={text.accounts.disconnected}
        queryKey="accounts"
        onClose={() => setRemoving(undefined)}
      >
        {({ isOwn }) => (isOwn ? text.accounts.disconnectOwn : text.accounts.disconnectOther)}
      </RemovalDialog>
    </Page>
  );
}
