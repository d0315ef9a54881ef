import { Field, SelectField, TextField } from '../../components/fields.tsx';
import { type Secret, SecretInput } from '../../components/SecretInput.tsx';
import type { FormPartProps } from './form-problems.ts';
import { type AuthenticationDraft, authenticationType, type OAuthGrant } from './server-draft.ts';

const grantsTexts = {
  'authorization-code': 'A person, in a browser',
  'client-credentials': 'Toolwharf, with client credentials',
  'jwt-bearer': 'Toolwharf, with a token of its workload',
  enterprise: "Toolwharf, through the company's identity provider",
};

const methods: readonly (readonly [AuthenticationDraft['type'], string])[] = [
  ['none', 'None'],
  ['bearer', 'Bearer token'],
  ['api-key', 'API key header'],
  ['basic', 'User name and password'],
  ['oauth', 'OAuth'],
];

type TextKey = 'header' | 'username' | 'clientId' | 'scope' | 'redirectUrl' | 'clientMetadataUrl' | 'issuer';
type SecretKey = 'token' | 'key' | 'password' | 'clientSecret' | 'privateKey';

const grants = Object.entries(grantsTexts) as [OAuthGrant, string][];

/** The others need files of the gateway's machine, which only the configuration file can name. */
const offeredGrants: ReadonlySet<OAuthGrant> = new Set(['authorization-code', 'client-credentials']);

/** How the gateway authenticates to the server. */
export function AuthenticationFields({ draft, initial, problems, onChange }: FormPartProps) {
  const { authentication } = draft;
  const selected = authenticationType(draft);
  const change = (part: Partial<AuthenticationDraft>) => onChange({ authentication: { ...authentication, ...part } });

  const available = draft.transport === 'api' ? methods.filter(([type]) => type !== 'oauth') : methods;

  const isPerson = authentication.grant === 'authorization-code';

  const content = (key: TextKey, label: string, hint?: string) => (
    <TextField
      key={key}
      label={label}
      hint={hint}
      error={problems.at(`authentication.${key}`)}
      spellCheck={false}
      autoComplete="off"
      value={authentication[key]}
      onChange={(content) => change({ [key]: content })}
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
          {content('header', 'Header', 'The header that carries the key.')}
        </div>
      )}
      {selected === 'basic' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {content('username', 'User name')}
          {secret('password', 'Password')}
        </div>
      )}
      {selected === 'oauth' && (
        <>
          <SelectField
            label="Who signs in"
            options={grants.filter(([grant]) => offeredGrants.has(grant) || grant === initial.authentication.grant)}
            value={authentication.grant}
            onChange={(grant) => change({ grant })}
          />
          {isPerson && (
            <p className="text-ink-soft">
              Save the server, then sign in from the list. Fill in the fields below only if the service gave you a
              client id.
            </p>
          )}
          <div className="grid gap-3 sm:grid-cols-2">
            {content('clientId', 'Client id', isPerson ? 'Leave empty to register automatically.' : undefined)}
            {secret('clientSecret', 'Client secret')}
            {!isPerson && secret('privateKey', 'Private key', 'In PEM, instead of a client secret.')}
            {!isPerson &&
              content(
                'issuer',
                'Authorization server',
                'The only one that may receive the credentials. Leave empty for the first one that the server names.',
              )}
            {content('scope', 'Scope', 'Separated by spaces.')}
            {isPerson && content('redirectUrl', 'Redirect URL', 'Leave empty for the default.')}
          </div>
          {isPerson && content('clientMetadataUrl', 'Client metadata URL', 'The URL of a client metadata document.')}
        </>
      )}
    </div>
  );
}
