import { Field, SelectField, TextField } from '../../components/fields.tsx';
import { text } from '../../text/text.ts';
import type { FormPartProps } from './form-problems.ts';
import { SecretInput } from './SecretInput.tsx';
import { type AuthenticationDraft, authenticationType, type OAuthGrant, type Secret } from './server-draft.ts';

const methods: readonly (readonly [AuthenticationDraft['type'], string])[] = [
  ['none', text.common.none],
  ['bearer', text.servers.authenticationFields.bearerToken],
  ['api-key', text.servers.authenticationFields.apiKeyHeader],
  ['basic', text.servers.authenticationFields.userNamePassword],
  ['oauth', text.servers.authenticationFields.oauth],
];

type TextKey = 'header' | 'username' | 'clientId' | 'scope' | 'redirectUrl' | 'clientMetadataUrl' | 'issuer';
type SecretKey = 'token' | 'key' | 'password' | 'clientSecret' | 'privateKey';

const grants = Object.entries(text.servers.authenticationFields.grants) as [OAuthGrant, string][];

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
      <SelectField
        label={text.servers.authenticationFields.authentication}
        options={available}
        value={selected}
        onChange={(type) => change({ type })}
      />
      {selected === 'bearer' && secret('token', text.servers.authenticationFields.token)}
      {selected === 'api-key' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {secret('key', text.servers.authenticationFields.key)}
          {content(
            'header',
            text.servers.authenticationFields.header,
            text.servers.authenticationFields.headerCarriesKey,
          )}
        </div>
      )}
      {selected === 'basic' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {content('username', text.servers.authenticationFields.userName)}
          {secret('password', text.servers.authenticationFields.password)}
        </div>
      )}
      {selected === 'oauth' && (
        <>
          <SelectField
            label={text.servers.authenticationFields.grant}
            options={grants.filter(([grant]) => offeredGrants.has(grant) || grant === initial.authentication.grant)}
            value={authentication.grant}
            onChange={(grant) => change({ grant })}
          />
          {isPerson && <p className="text-ink-soft">{text.servers.authenticationFields.saveServerThenSign}</p>}
          <div className="grid gap-3 sm:grid-cols-2">
            {content(
              'clientId',
              text.servers.authenticationFields.clientId,
              isPerson ? text.servers.authenticationFields.leaveEmptyRegisterAutomatically : undefined,
            )}
            {secret('clientSecret', text.servers.authenticationFields.clientSecret)}
            {!isPerson &&
              secret(
                'privateKey',
                text.servers.authenticationFields.privateKey,
                text.servers.authenticationFields.privateKeyHint,
              )}
            {!isPerson &&
              content('issuer', text.servers.authenticationFields.issuer, text.servers.authenticationFields.issuerHint)}
            {content(
              'scope',
              text.servers.authenticationFields.scope,
              text.servers.authenticationFields.separatedSpaces,
            )}
            {isPerson &&
              content(
                'redirectUrl',
                text.servers.authenticationFields.redirectUrl,
                text.servers.authenticationFields.leaveEmptyDefault,
              )}
          </div>
          {isPerson &&
            content(
              'clientMetadataUrl',
              text.servers.authenticationFields.clientMetadataUrl,
              text.servers.authenticationFields.urlClientMetadataDocument,
            )}
        </>
      )}
    </div>
  );
}
