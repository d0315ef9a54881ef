import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { api, type PersonalServer } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Field, TextField } from '../../components/fields.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

interface ConnectDialogProps {
  readonly server: PersonalServer;
  /** The account that gets new credentials; a new one if undefined. */
  readonly label: string | undefined;
  readonly onClose: () => void;
}

/** Connects an account: the person enters its values, or continues at the sign-in page of the service. */
export function ConnectDialog({ server, label: known, onClose }: ConnectDialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const form = useId();
  const [label, setLabel] = useState(known ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const name = safeText(server.server, 100);
  const usesOAuth = server.fields.length === 0;
  const connecting = useMutation({
    mutationFn: () =>
      api.connectAccount({
        body: {
          server: server.server,
          ...(label.trim() !== '' && { label: label.trim() }),
          ...(!usesOAuth && { values }),
        },
      }),
    async onSuccess({ signInUrl }) {
      const url = signInUrl === undefined ? null : URL.parse(signInUrl);
      // The URL comes from the server.
      if (url && ['https:', 'http:'].includes(url.protocol)) return window.location.assign(url);
      toast(`Your account at ${name} is connected.`);
      await client.invalidateQueries({ queryKey: ['accounts'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connecting.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Connect an account at ${name}`}
      description={
        usesOAuth
          ? 'You continue at the sign-in page of the service and return here.'
          : 'Toolwharf tries the values at the server before it stores them.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={connecting.isPending}>
            {usesOAuth ? 'Continue to sign-in' : 'Connect account'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        {server.fields.map((field) => (
          <Field key={field} label={safeText(field, 40)} required>
            {(props) => (
              <SecretInput
                {...props}
                noun={safeText(field, 40)}
                value={values[field] ?? ''}
                onChange={(value) => setValues({ ...values, [field]: String(value) })}
              />
            )}
          </Field>
        ))}
        {known === undefined && (
          <TextField
            label="Name of the account"
            hint="Optional. Useful if you connect several accounts."
            autoComplete="off"
            maxLength={60}
            value={label}
            onChange={setLabel}
          />
        )}
        {connecting.isError && <ErrorNotice error={connecting.error} />}
      </form>
    </Dialog>
  );
}
