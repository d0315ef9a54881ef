import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Suspense } from 'react';
import type { Server } from '../../../api/client.ts';
import { queries, useIsAdmin } from '../../../api/queries.ts';
import { ButtonLink } from '../../../components/Button.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { ServerStatus } from '../../../components/ServerStatus.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useSlot } from '../../../shell/feature.ts';
import { readServer, serverAddress } from '../server-address.ts';
import { InspectorTabs } from './InspectorTabs.tsx';
import { ServerRoots } from './ServerRoots.tsx';
import { SignInSteps } from './SignInSteps.tsx';

/** The traffic, resource updates and sign-in of one server, for administrators. */
export default function InspectorPage() {
  const name = readServer(location.pathname) ?? '';
  const servers = useQuery(queries.servers());
  const session = useQuery(queries.session());
  const isAdmin = useIsAdmin();
  const server = servers.data?.find((item) => item.name === name);
  const back = (
    <ButtonLink href={serverAddress(name)} icon={ArrowLeft}>
      Back to the server
    </ButtonLink>
  );
  return (
    <Page
      title={`Inspector: ${safeText(name, 100)}`}
      description={server && <ServerStatus status={server.status} enabled={server.enabled} />}
      actions={back}
    >
      {(!servers.data || !session.data) && <QueryState query={servers} what="Servers" />}
      {session.data && !isAdmin && (
        <EmptyState title="Only administrators can inspect servers">
          Sign in as administrator under Settings → Session.
        </EmptyState>
      )}
      {servers.data && !server && <EmptyState title="There is no such server" actions={back} />}
      {server && isAdmin && <Inspector key={name} server={server} />}
    </Page>
  );
}

function Inspector({ server }: { readonly server: Server }) {
  const Traffic = useSlot('inspector');
  const tabs = [
    { id: 'roots', label: 'Roots', content: <ServerRoots server={server} /> },
    { id: 'sign-in', label: 'Sign-in', content: <SignInSteps server={server} /> },
  ];
  if (!Traffic) return <InspectorTabs server={server} tabs={tabs} />;
  return (
    <Suspense fallback={<Spinner label="Loading …" />}>
      <Traffic server={server} tabs={tabs} />
    </Suspense>
  );
}
