import { useState } from 'react';
import { api, type PersonalServer } from '../../api/client.ts';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Field, TextField } from '../../components/fields.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';

interface ConnectDialogProps {
  readonly server: PersonalServer;
  /** The account that gets new credentials; a new one if undefined. */
  readonly label: string | undefined;
  readonly onClose: () => void;
}

/** Connects an account: the person enters its values, or continues at the sign-in page of the service. */
export function ConnectDialog({ server, label: known, onClose }: ConnectDialogProps) {
  const [label, setLabel] = useState(known ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const name = safeText(server.server, 100);
  const usesOAuth = server.fields.length === 0;
  const connecting = useAction({
    run: () =>
      api.connectAccount({
        body: {
          server: server.server,
          ...(label.trim() !== '' && { label: label.trim() }),
          ...(!usesOAuth && { values }),
        },
      }),
    done: ({ signInUrl }) => (signInUrl === undefined ? `Your account at ${name} is connected.` : undefined),
    refetch: ['accounts'],
    showsError: true,
    onSuccess({ signInUrl }) {
      const url = signInUrl === undefined ? null : URL.parse(signInUrl);
      // The URL comes from the server.
      if (url && ['https:', 'http:'].includes(url.protocol)) window.location.assign(url);
      else onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Connect an account at ${name}`}
      description={
        usesOAuth
          ? 'You continue at the sign-in page of the service and return here.'
          : 'Toolwharf tries the values at the server before it stores them.'
      }
      action={usesOAuth ? 'Continue to sign-in' : 'Connect account'}
      busy={connecting.isPending}
      onSubmit={connecting.mutate}
    >
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
    </FormDialog>
  );
}
