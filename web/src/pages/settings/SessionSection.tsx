import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import type { Session } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { SignInForm } from '../../components/SignIn.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { Facts } from './Facts.tsx';

const viaLabels: Readonly<Record<NonNullable<Session['via']>, string>> = {
  'admin-token': 'admin token',
  key: 'API key',
  jwt: 'identity provider',
  loopback: 'local connection',
};

const rightLabels: Readonly<Record<Session['rights'][number], string>> = {
  read: 'Read',
  call: 'Call tools and chat',
  admin: 'Administer',
};

/** The current session, and a form to sign in with another key. */
export function SessionSection() {
  const session = useQuery(queries.session());
  if (!session.data) return <QueryState query={session} what="session" />;
  const { via, caller, profile, mayAddPrograms, tokenFile } = session.data;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)]">
      <Card>
        <CardHeader title="Current session" actions={via !== 'loopback' && <SignOutButton />} />
        <Facts
          facts={[
            ['Name', safeText(caller?.name ?? caller?.id ?? 'Unknown', 100)],
            via && ['Signed in via', viaLabels[via]],
            ['Profile', session.data.rights.includes('admin') ? 'All profiles' : safeText(profile ?? 'default', 100)],
            [
              'Rights',
              <span key="rights" className="flex flex-wrap gap-1">
                {session.data.rights.map((right) => (
                  <Badge key={right}>{rightLabels[right]}</Badge>
                ))}
              </span>,
            ],
            ['Add local (stdio) servers', mayAddPrograms ? 'Yes' : 'No'],
          ]}
        />
      </Card>
      <Card>
        <CardHeader
          title={via === 'loopback' ? 'Sign in' : 'Sign in with another key'}
          hint="The admin token lets you add local (stdio) servers and create keys for administrators."
        />
        <div className="flex flex-col gap-3 p-4">
          {tokenFile !== undefined && (
            <p className="text-ink-soft">
              The admin token of this gateway is in <code className="text-xs">{safeText(tokenFile, 500)}</code>
            </p>
          )}
          <SignInForm onDone={reloadApp} />
        </div>
      </Card>
    </div>
  );
}

function SignOutButton() {
  const toast = useToast();
  const signingOut = useMutation({ mutationFn: () => api.closeSession(), onSuccess: reloadApp, onError: toast.error });
  return (
    <Button size="small" busy={signingOut.isPending} onClick={() => signingOut.mutate()}>
      <LogOut aria-hidden />
      Sign out
    </Button>
  );
}

/** Drops everything that the previous session loaded. */
function reloadApp(): void {
  location.reload();
}
