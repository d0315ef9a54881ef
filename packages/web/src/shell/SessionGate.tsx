import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { signIn } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { ErrorNotice } from '../components/ErrorNotice.tsx';
import { Spinner } from '../components/Spinner.tsx';
import type { Feature } from './feature.ts';

// People with a session do not load the form.
const SignInPage = lazy(async () => ({ default: (await import('./SignInPage.tsx')).SignInPage }));

export interface SessionGateProps {
  /** All features: which are on is not known before the sign-in. */
  readonly features: readonly Feature[];
  readonly children: ReactNode;
}

/** Shows the app to signed-in people and a sign-in form to others. A link with `#token=` signs in automatically. */
export function SessionGate({ features, children }: SessionGateProps) {
  const client = useQueryClient();
  const [signingIn, setSigningIn] = useState(() => location.hash.startsWith('#token='));
  const session = useQuery({ ...queries.session(), enabled: !signingIn });

  useEffect(() => {
    if (!signingIn) return;
    const token = decodeURIComponent(location.hash.slice('#token='.length));
    // The token leaves the address bar and the history before anything else happens.
    history.replaceState(null, '', location.pathname + location.search);
    // An invalid token changes nothing: an existing session stays, and otherwise the form is shown.
    const done = () => {
      void client.invalidateQueries({ queryKey: ['session'] });
      setSigningIn(false);
    };
    signIn(token).then(done, done);
  }, [signingIn, client]);

  if (session.isError) {
    return (
      <main className="mx-auto max-w-lg p-6">
        <ErrorNotice
          title="The gateway does not respond"
          error={session.error}
          onRetry={() => void session.refetch()}
        />
      </main>
    );
  }
  if (!session.data) return <Connecting />;
  if (session.data.authenticated) return children;
  return (
    <Suspense fallback={<Connecting />}>
      <SignInPage
        features={features}
        provider={session.data.signIn?.name}
        onDone={() => void client.invalidateQueries()}
      />
    </Suspense>
  );
}

function Connecting() {
  return (
    <main className="p-6">
      <Spinner label="Connecting …" />
    </main>
  );
}
