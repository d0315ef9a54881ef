import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { createApi } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { ErrorNotice, messageOf } from './ErrorNotice.tsx';
import { Form, TextField } from './fields.tsx';
import { Spinner } from './Spinner.tsx';

/** Signs in with an API key or the admin token. */
export function SignInForm({ onDone }: { readonly onDone: () => void }) {
  const [token, setToken] = useState('');
  const signingIn = useMutation({ mutationFn: () => signIn(token.trim()), onSuccess: onDone });
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => signingIn.mutate()}>
      <TextField
        label="API key or admin token"
        required
        hint="The admin token is in the file admin-token in the gateway's data directory. The browser keeps a session cookie that scripts cannot read."
        error={signingIn.isError ? messageOf(signingIn.error) : undefined}
        type="password"
        autoComplete="current-password"
        value={token}
        onChange={(text) => setToken(text)}
      />
      <Button type="submit" look="primary" busy={signingIn.isPending} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </Form>
  );
}

export interface SignInDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Asks for a key in front of a dialog, which keeps its input. */
export function SignInDialog({ open, onClose }: SignInDialogProps) {
  const client = useQueryClient();
  return (
    <Dialog open={open} onClose={onClose} title="Sign in" description="Your input is kept.">
      <SignInForm
        onDone={() => {
          void client.invalidateQueries();
          onClose();
        }}
      />
    </Dialog>
  );
}

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
          title="The gateway can't be reached"
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
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl tracking-tight">Toolwharf</h1>
      <p className="text-ink-soft">Sign in to use this gateway.</p>
      <SignInForm onDone={() => void client.invalidateQueries()} />
    </main>
  );
}
