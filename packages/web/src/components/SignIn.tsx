import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { signIn } from '../api/client.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { Form, TextField } from './fields.tsx';

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
