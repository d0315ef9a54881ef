import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, Star } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { type Account, api, type PersonalServer } from '../../api/client.ts';
import { queries, query } from '../../api/queries.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Field, TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';

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
            title="No server asks for a personal account"
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
      {session.data?.permissions.includes('accounts.manage') && servers.length > 0 && (
        <EveryAccount onRemove={setRemoving} />
      )}
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
function ServerAccounts({ server, accounts, isAsked, onConnect, onRemove }: ServerAccountsProps) {
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
          A call waits for your account at this server. It continues once the account is connected.
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

interface ConnectDialogProps {
  readonly server: PersonalServer;
  /** The account that gets new credentials; a new one if undefined. */
  readonly label: string | undefined;
  readonly onClose: () => void;
}

/** Connects an account: the person enters its values, or continues at the sign-in page of the service. */
function ConnectDialog({ server, label: known, onClose }: ConnectDialogProps) {
  const [label, setLabel] = useState(known ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const name = safeText(server.server, 100);
  const usesOAuth = server.fields.length === 0;
  const connecting = useAction({
    run: () =>
      api.connectAccount({
        body: {
          server: server.server,
          ...(label.trim() !== '' && { label: label.trim() }),
          ...(!usesOAuth && { values }),
        },
      }),
    done: ({ signInUrl }) => (signInUrl === undefined ? `Your account at ${name} is connected.` : undefined),
    refetch: ['accounts'],
    showsError: true,
    onSuccess({ signInUrl }) {
      const url = signInUrl === undefined ? null : URL.parse(signInUrl);
      // The URL comes from the server.
      if (url && ['https:', 'http:'].includes(url.protocol)) window.location.assign(url);
      else onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Connect an account at ${name}`}
      description={
        usesOAuth
          ? 'You continue at the sign-in page of the service and return here.'
          : 'Toolwharf tries the values at the server before it stores them.'
      }
      action={usesOAuth ? 'Continue to sign-in' : 'Connect account'}
      busy={connecting.isPending}
      onSubmit={connecting.mutate}
    >
      {server.fields.map((field) => (
        <Field key={field} label={safeText(field, 40)} required>
          {(props) => (
            <SecretInput
              {...props}
              noun={safeText(field, 40)}
              value={values[field] ?? ''}
              onChange={(value) => setValues({ ...values, [field]: String(value) })}
            />
          )}
        </Field>
      ))}
      {known === undefined && (
        <TextField
          label="Name of the account"
          hint="Optional. Useful if you connect several accounts."
          autoComplete="off"
          maxLength={60}
          value={label}
          onChange={setLabel}
        />
      )}
      {connecting.isError && <ErrorNotice error={connecting.error} />}
    </FormDialog>
  );
}
