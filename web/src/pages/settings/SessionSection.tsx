import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { api } from '../../api/api.ts';
import type { Session } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { SignInForm } from '../../components/SignInForm.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { Facts } from './Facts.tsx';

const ways: Readonly<Record<NonNullable<Session['via']>, string>> = {
  'admin-token': 'With the admin token',
  key: 'With an API key',
  jwt: 'With a token of your identity provider',
  loopback: 'By being on the same machine',
};

const rights: Readonly<Record<Session['rights'][number], string>> = {
  read: 'Look',
  call: 'Call tools and chat',
  admin: 'Administer',
};

/** Who the gateway takes you for, and how to be somebody else. */
export function SessionSection() {
  const session = useQuery(queries.session());
  if (session.isError) return <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />;
  if (!session.data) return <Spinner label="Asking who you are …" />;
  const { via, caller, profile, mayAddPrograms, tokenFile } = session.data;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)]">
      <Card>
        <CardHeader title="Who you are" actions={via !== 'loopback' && <SignOutButton />} />
        <Facts
          facts={[
            ['Name', safeText(caller?.name ?? caller?.id ?? 'Unknown', 100)],
            via && ['How you are known', ways[via]],
            ['Profile', profile === undefined ? 'All of them' : safeText(profile, 100)],
            [
              'You may',
              <span key="rights" className="flex flex-wrap gap-1">
                {session.data.rights.map((right) => (
                  <Badge key={right}>{rights[right]}</Badge>
                ))}
              </span>,
            ],
            ['Add servers that are programs', mayAddPrograms ? 'Yes' : 'No'],
          ]}
        />
      </Card>
      <Card>
        <CardHeader
          title={via === 'loopback' ? 'Sign in' : 'Sign in as somebody else'}
          hint="With the admin token you may add servers that are programs, and make keys for administrators."
        />
        <div className="flex flex-col gap-3 p-4">
          {tokenFile !== undefined && (
            <p className="text-ink-soft">
              The admin token of this gateway is in <code className="text-xs">{safeText(tokenFile, 500)}</code>
            </p>
          )}
          <SignInForm onDone={beginAnew} />
        </div>
      </Card>
    </div>
  );
}

function SignOutButton() {
  const toast = useToast();
  const leaving = useMutation({ mutationFn: () => api.closeSession(), onSuccess: beginAnew, onError: toast.error });
  return (
    <Button size="small" busy={leaving.isPending} onClick={() => leaving.mutate()}>
      <LogOut aria-hidden />
      Sign out
    </Button>
  );
}

/** What another person saw is not to stay, on the page or in what it listens to. */
function beginAnew(): void {
  location.reload();
}
