import { useMutation, useQueryClient } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { text } from '../text/text.ts';
import { Button, GatewayButtonLink } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { messageOf } from './ErrorNotice.tsx';
import { Form, TextField } from './fields.tsx';
import { signIn } from './SessionGate.tsx';
import { safeText } from './safe-text.ts';

/** Signs in at the identity provider and returns to this page. The form for keys is behind a disclosure. */
export function ProviderSignIn({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  return (
    <>
      <ProviderLink name={name} />
      <details>
        <summary className="cursor-pointer text-ink-soft">{text.signIn.otherWays}</summary>
        <div className="pt-3">
          <SignInForm onDone={onDone} />
        </div>
      </details>
    </>
  );
}

/** Leads to the identity provider. */
export function ProviderLink({ name }: { readonly name: string }) {
  const search = new URLSearchParams(location.search);
  search.delete('sign-in');
  const query = search.size > 0 ? `?${search}` : '';
  const page = `${location.pathname}${query}${location.hash}`;
  return (
    <GatewayButtonLink look="primary" href={`/api/sign-in?${new URLSearchParams({ return: page })}`}>
      <LogIn aria-hidden />
      {text.signIn.withProvider(safeText(name, 60))}
    </GatewayButtonLink>
  );
}

/** Signs in with an API key or the admin token. */
export function SignInForm({ onDone }: { readonly onDone: () => void }) {
  const [token, setToken] = useState('');
  const signingIn = useMutation({ mutationFn: () => signIn(token.trim()), onSuccess: onDone });
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => signingIn.mutate()}>
      <TextField
        label={text.signIn.apiKeyAdminToken}
        required
        hint={text.signIn.adminTokenFileAdmin}
        error={signingIn.isError ? messageOf(signingIn.error) : undefined}
        type="password"
        autoComplete="current-password"
        value={token}
        onChange={(text) => setToken(text)}
      />
      <Button type="submit" look="primary" busy={signingIn.isPending} disabled={token.trim() === ''}>
        {text.common.signIn}
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
    <Dialog open={open} onClose={onClose} title={text.common.signIn} description={text.signIn.inputKept}>
      <SignInForm
        onDone={() => {
          void client.invalidateQueries();
          onClose();
        }}
      />
    </Dialog>
  );
}
