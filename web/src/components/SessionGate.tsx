import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { createApi } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { text } from '../text/text.ts';
import { ErrorNotice, Notice } from './ErrorNotice.tsx';
import { Spinner } from './Spinner.tsx';

// People with a session do not load the form.
const SignInForm = lazy(async () => ({ default: (await import('./SignIn.tsx')).SignInForm }));
const ProviderSignIn = lazy(async () => ({ default: (await import('./SignIn.tsx')).ProviderSignIn }));

/** Opens a session, kept in a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<void> {
  await createApi({ headers: { authorization: `Bearer ${token}` } }).openSession();
}

/** Shows the app to signed-in people and a sign-in form to others. A link with `#token=` signs in automatically. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
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
          title={text.signIn.gatewayUnreachable}
          error={session.error}
          onRetry={() => void session.refetch()}
        />
      </main>
    );
  }
  if (!session.data) {
    return (
      <main className="p-6">
        <Spinner label={text.signIn.connecting} />
      </main>
    );
  }
  if (session.data.authenticated) return children;
  const provider = session.data.signIn;
  const done = () => void client.invalidateQueries();
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl tracking-tight">Toolwharf</h1>
      <p className="text-ink-soft">{text.signIn.signUseGateway}</p>
      <SignInProblem />
      <Suspense fallback={<Spinner label={text.common.loading} />}>
        {provider ? <ProviderSignIn name={provider.name} onDone={done} /> : <SignInForm onDone={done} />}
      </Suspense>
    </main>
  );
}

/** Why the last sign-in at the identity provider failed. The gateway leads back here with a code. */
function SignInProblem() {
  const code = new URLSearchParams(location.search).get('sign-in') ?? '';
  if (!Object.hasOwn(text.signIn.problems, code)) return null;
  return (
    <Notice tone="bad" title={text.signIn.problemTitle}>
      {text.signIn.problems[code as keyof typeof text.signIn.problems]}
    </Notice>
  );
}
