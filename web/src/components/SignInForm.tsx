import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createApi } from '../api/client.ts';
import { Button } from './Button.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { Field, Input } from './fields.tsx';

/** Signs in with an API key or the admin token. */
export function SignInForm({ onDone }: { readonly onDone: () => void }) {
  const [token, setToken] = useState('');
  const signingIn = useMutation({ mutationFn: () => signIn(token.trim()), onSuccess: onDone });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        signingIn.mutate();
      }}
    >
      <Field
        label="API key or admin token"
        required
        hint="The admin token is in the file admin-token in the gateway's data directory. The browser keeps a session cookie that scripts cannot read."
        error={signingIn.isError ? messageOf(signingIn.error) : undefined}
      >
        {(props) => (
          <Input
            {...props}
            type="password"
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={signingIn.isPending} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
}

/** Opens a session, kept in a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<void> {
  await createApi({ headers: { authorization: `Bearer ${token}` } }).openSession();
}
