import { Field, Input, Select } from '../../components/fields.tsx';
import type { FormPartProps } from './form-part.ts';
import { SecretInput } from './SecretInput.tsx';
import { type AuthenticationDraft, authenticationType, type Secret } from './server-draft.ts';

const ways: readonly (readonly [AuthenticationDraft['type'], string])[] = [
  ['none', 'None'],
  ['bearer', 'Bearer token'],
  ['api-key', 'API key in a header'],
  ['basic', 'User name and password'],
  ['oauth', 'OAuth: sign in with a browser'],
];

type TextKey = 'header' | 'username' | 'clientId' | 'scope' | 'redirectUrl' | 'clientMetadataUrl';
type SecretKey = 'token' | 'key' | 'password' | 'clientSecret';

/** How the gateway proves to the server who it is. */
export function AuthenticationFields({ draft, initial, problems, onChange }: FormPartProps) {
  const { authentication } = draft;
  const chosen = authenticationType(draft);
  const change = (part: Partial<AuthenticationDraft>) => onChange({ authentication: { ...authentication, ...part } });

  const offered = draft.transport === 'api' ? ways.filter(([type]) => type !== 'oauth') : ways;

  const text = (key: TextKey, label: string, hint?: string) => (
    <Field key={key} label={label} hint={hint} error={problems.at(`authentication.${key}`)}>
      {(props) => (
        <Input
          {...props}
          spellCheck={false}
          autoComplete="off"
          value={authentication[key]}
          onChange={(event) => change({ [key]: event.target.value })}
        />
      )}
    </Field>
  );
  const secret = (key: SecretKey, label: string, hint?: string) => (
    <Field key={key} label={label} hint={hint} error={problems.at(`authentication.${key}`)}>
      {(props) => (
        <SecretInput
          {...props}
          what={label.toLowerCase()}
          value={authentication[key]}
          isStored={typeof initial.authentication[key] !== 'string'}
          onChange={(value: Secret) => change({ [key]: value })}
        />
      )}
    </Field>
  );

  return (
    <div className="flex flex-col gap-3">
      <Field label="Authentication">
        {(props) => (
          <Select
            {...props}
            value={chosen}
            onChange={(event) => change({ type: event.target.value as AuthenticationDraft['type'] })}
          >
            {offered.map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen === 'bearer' && secret('token', 'Token')}
      {chosen === 'api-key' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {secret('key', 'Key')}
          {text('header', 'Header', 'The header that carries the key.')}
        </div>
      )}
      {chosen === 'basic' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {text('username', 'User name')}
          {secret('password', 'Password')}
        </div>
      )}
      {chosen === 'oauth' && (
        <>
          <p className="text-ink-soft">
            Save the server, then sign in from the list: your browser opens the page of the service and comes back here.
            The fields below are for services that gave you a client of your own.
          </p>
          <div className="grid gap-3 sm:grid-cols-2">
            {text('clientId', 'Client id', 'Without one, the gateway registers itself.')}
            {secret('clientSecret', 'Client secret')}
            {text('scope', 'Scope', 'Separated by spaces.')}
            {text('redirectUrl', 'Redirect URL', "The gateway's own if empty.")}
          </div>
          {text('clientMetadataUrl', 'Client metadata URL', 'Address of a client metadata document, if you have one.')}
        </>
      )}
    </div>
  );
}
