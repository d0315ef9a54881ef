import { Field, SelectField, TextField } from '../../components/fields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { SecretInput } from './SecretInput.tsx';
import { type AuthenticationDraft, authenticationType, type Secret } from './server-draft.ts';

const methods: readonly (readonly [AuthenticationDraft['type'], string])[] = [
  ['none', 'None'],
  ['bearer', 'Bearer token'],
  ['api-key', 'API key header'],
  ['basic', 'User name and password'],
  ['oauth', 'OAuth (sign in with a browser)'],
];

type TextKey = 'header' | 'username' | 'clientId' | 'scope' | 'redirectUrl' | 'clientMetadataUrl';
type SecretKey = 'token' | 'key' | 'password' | 'clientSecret';

/** How the gateway authenticates to the server. */
export function AuthenticationFields({ draft, initial, problems, onChange }: FormPartProps) {
  const { authentication } = draft;
  const selected = authenticationType(draft);
  const change = (part: Partial<AuthenticationDraft>) => onChange({ authentication: { ...authentication, ...part } });

  const available = draft.transport === 'api' ? methods.filter(([type]) => type !== 'oauth') : methods;

  const text = (key: TextKey, label: string, hint?: string) => (
    <TextField
      key={key}
      label={label}
      hint={hint}
      error={problems.at(`authentication.${key}`)}
      spellCheck={false}
      autoComplete="off"
      value={authentication[key]}
      onChange={(text) => change({ [key]: text })}
    />
  );
  const secret = (key: SecretKey, label: string, hint?: string) => (
    <Field key={key} label={label} hint={hint} error={problems.at(`authentication.${key}`)}>
      {(props) => (
        <SecretInput
          {...props}
          noun={label.toLowerCase()}
          value={authentication[key]}
          isStored={typeof initial.authentication[key] !== 'string'}
          onChange={(value: Secret) => change({ [key]: value })}
        />
      )}
    </Field>
  );

  return (
    <div className="flex flex-col gap-3">
      <SelectField label="Authentication" options={available} value={selected} onChange={(type) => change({ type })} />
      {selected === 'bearer' && secret('token', 'Token')}
      {selected === 'api-key' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {secret('key', 'Key')}
          {text('header', 'Header', 'The header that carries the key.')}
        </div>
      )}
      {selected === 'basic' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {text('username', 'User name')}
          {secret('password', 'Password')}
        </div>
      )}
      {selected === 'oauth' && (
        <>
          <p className="text-ink-soft">
            Save the server, then sign in from the list. Fill in the fields below only if the service gave you a client
            id.
          </p>
          <div className="grid gap-3 sm:grid-cols-2">
            {text('clientId', 'Client id', 'Leave empty to register automatically.')}
            {secret('clientSecret', 'Client secret')}
            {text('scope', 'Scope', 'Separated by spaces.')}
            {text('redirectUrl', 'Redirect URL', 'Leave empty for the default.')}
          </div>
          {text('clientMetadataUrl', 'Client metadata URL', 'The URL of a client metadata document.')}
        </>
      )}
    </div>
  );
}
