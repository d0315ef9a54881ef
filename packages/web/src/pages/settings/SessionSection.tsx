import { useQuery } from '@tanstack/react-query';
import { labelOf } from '../../../../contract/rights.ts';
import type { Session } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { describeRoles } from '../../components/describe-roles.ts';
import { Facts } from '../../components/FactList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { SignInForm } from '../../components/SignIn.tsx';
import { reloadApp, SignOutButton } from '../../components/SignOutButton.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useSlot } from '../../shell/feature.ts';
import { plural } from '../../text/plural.ts';

const viaLabels: Readonly<Record<NonNullable<Session['via']>, string>> = {
  'admin-token': 'admin token',
  key: 'API key',
  jwt: 'identity provider',
  loopback: 'local connection',
  'sign-in': 'identity provider',
  oauth: 'access token of a client',
};

/** The current session, and a form to sign in with another key. */
export function SessionSection() {
  const session = useQuery(queries.session());
  const SessionCard = useSlot('sessionCard');
  const ProviderSignIn = useSlot('providerSignIn');
  if (!session.data) return <QueryState query={session} what="session" />;
  const { via, caller, profile, permissions, mayAddPrograms, tokenFile, signIn: provider } = session.data;
  const mayUseAll = permissions.includes('profiles.use-all');
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
            ['Role', describeRoles(session.data)],
            ['Profile', mayUseAll && profile === undefined ? 'All profiles' : safeText(profile ?? 'default', 100)],
            [
              'Permissions',
              <details key="permissions">
                <summary className="cursor-pointer">{plural(permissions.length, 'permission')}</summary>
                <ul className="mt-1 flex list-disc flex-col gap-0.5 pl-4">
                  {permissions.map((permission) => (
                    <li key={permission}>{labelOf(permission)}</li>
                  ))}
                </ul>
              </details>,
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
