import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { Facts } from '../../components/FactList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { SignInForm } from '../../components/SignIn.tsx';
import { reloadApp, roleTexts, SignOutButton } from '../../components/SignOutButton.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useSlot } from '../../shell/feature.ts';

const viaLabels: Readonly<Record<NonNullable<Session['via']>, string>> = {
  'admin-token': 'admin token',
  key: 'API key',
  jwt: 'identity provider',
  loopback: 'local connection',
  'sign-in': 'identity provider',
  oauth: 'access token of a client',
};

const rightLabels: Readonly<Record<Session['rights'][number], string>> = {
  read: 'Read',
  call: 'Call tools and chat',
  admin: 'Administer',
};

/** The current session, and a form to sign in with another key. */
export function SessionSection() {
  const session = useQuery(queries.session());
  const SessionCard = useSlot('sessionCard');
  const ProviderSignIn = useSlot('providerSignIn');
  if (!session.data) return <QueryState query={session} what="session" />;
  const { via, caller, role, profile, mayAddPrograms, tokenFile, signIn: provider } = session.data;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)]">
      <Card>
        <CardHeader
          title="Current session"
          actions={via !== 'loopback' && <SignOutButton atProvider={via === 'sign-in'} />}
        />
        <Facts
          facts={[
            [
              'Name',
              <span key="name" translate="no">
                {safeText(caller?.name ?? caller?.id ?? 'Unknown', 100)}
              </span>,
            ],
            via && ['Signed in via', via === 'sign-in' && provider ? safeText(provider.name, 60) : viaLabels[via]],
            role && ['Role', roleTexts[role]],
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
          {provider && ProviderSignIn && via !== 'sign-in' && <ProviderSignIn name={provider.name} />}
          <SignInForm onDone={reloadApp} />
        </div>
      </Card>
      {SessionCard && <SessionCard />}
    </div>
  );
}
