import { Suspense } from 'react';
import { Notice } from '../components/ErrorNotice.tsx';
import { SignInForm } from '../components/SignIn.tsx';
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

interface SignInPageProps {
  readonly features: readonly Feature[];
  /** The name of the identity provider, if there is one. */
  readonly provider: string | undefined;
  readonly onDone: () => void;
}

/** What people without a session see. */
export function SignInPage({ features, provider, onDone }: SignInPageProps) {
  const ProviderSignIn = features.find(({ slots }) => slots?.providerSignIn)?.slots?.providerSignIn;
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl tracking-tight">Toolwharf</h1>
      <p className="text-ink-soft">Sign in to use this gateway.</p>
      <SignInProblem />
      <Suspense fallback={<Spinner label="Loading …" />}>
        {provider !== undefined && ProviderSignIn ? (
          <>
            <ProviderSignIn name={provider} />
            <details>
              <summary className="cursor-pointer text-ink-soft">Use an API key or the admin token</summary>
              <div className="pt-3">
                <SignInForm onDone={onDone} />
              </div>
            </details>
          </>
        ) : (
          <SignInForm onDone={onDone} />
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
