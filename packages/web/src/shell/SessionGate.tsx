import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { signIn } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { ErrorNotice, Notice } from '../components/ErrorNotice.tsx';
import { Spinner } from '../components/Spinner.tsx';
import type { Feature } from './feature.ts';

const problemsTexts = {
  denied: 'The sign-in was cancelled.',
  disabled: 'An administrator has disabled your access.',
  expired: 'The sign-in took too long, or was started in another tab. Try again.',
  failed: 'The sign-in failed. The log of the gateway says why.',
  'no-access': 'Your account has no access to this gateway. Ask an administrator.',
  'too-many': 'There were too many sign-ins from your network. Try again in a minute.',
  unavailable: 'The identity provider cannot be reached. Try again later.',
};

// People with a session do not load the form.
const SignInForm = lazy(async () => ({ default: (await import('../components/SignIn.tsx')).SignInForm }));

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
  if (!session.data) {
    return (
      <main className="p-6">
        <Spinner label="Connecting …" />
      </main>
    );
  }
  if (session.data.authenticated) return children;
  const provider = session.data.signIn;
  const ProviderSignIn = features.find(({ slots }) => slots?.providerSignIn)?.slots?.providerSignIn;
  const done = () => void client.invalidateQueries();
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl tracking-tight">Toolwharf</h1>
      <p className="text-ink-soft">Sign in to use this gateway.</p>
      <SignInProblem />
      <Suspense fallback={<Spinner label="Loading …" />}>
        {provider && ProviderSignIn ? (
          <>
            <ProviderSignIn name={provider.name} />
            <details>
              <summary className="cursor-pointer text-ink-soft">Use an API key or the admin token</summary>
              <div className="pt-3">
                <SignInForm onDone={done} />
              </div>
            </details>
          </>
        ) : (
          <SignInForm onDone={done} />
        )}
      </Suspense>
    </main>
  );
}

/** Why the last sign-in at the identity provider failed. The gateway leads back here with a code. */
function SignInProblem() {
  const code = new URLSearchParams(location.search).get('sign-in') ?? '';
  if (!Object.hasOwn(problemsTexts, code)) return null;
  return (
    <Notice tone="bad" title="You are not signed in">
      {problemsTexts[code as keyof typeof problemsTexts]}
    </Notice>
  );
}
