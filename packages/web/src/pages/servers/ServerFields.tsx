import { useEffect, useRef } from 'react';
import { insecureUrlKey, isInsecureUrl } from '../../../../contract/settings/server-url.ts';
import { splitCommand } from '../../../../contract/split-command.ts';
import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import { RadioCards, type RadioOption } from '../../components/RadioCards.tsx';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { fieldsFor } from '../../components/settings-form/setting-values.ts';
import { EndpointList } from './endpoints/EndpointList.tsx';
import type { FormPartProps } from './form-problems.ts';
import { LineList } from './LineList.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { authenticationField, authenticationType, newLine, type ServerDraft, settingFields } from './server-draft.ts';

const transports: readonly RadioOption<ServerDraft['transport']>[] = [
  { value: 'auto', title: 'Automatic', hint: 'A URL; tries HTTP, then SSE' },
  { value: 'http', title: 'HTTP', hint: 'Streamable HTTP, the current standard' },
  { value: 'sse', title: 'SSE', hint: 'The older HTTP transport' },
  {
    value: 'stdio',
    title: 'Local (stdio)',
    hint: 'The gateway starts a local command',
  },
  { value: 'api', title: 'HTTP API', hint: 'Endpoints become tools, without an MCP server' },
];

export interface ServerFieldsProps extends FormPartProps {
  /** Whether the name is the first field of the form. */
  readonly isFirst: boolean;
  readonly onSignIn: () => void;
}

/** The fields of a server. */
export function ServerFields({ isFirst, onSignIn, ...props }: ServerFieldsProps) {
  const { draft, problems, onChange } = props;
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) first.current?.focus();
  }, [isFirst]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          hint="Used as a prefix for its tools."
          error={problems.at('name')}
          ref={first}
          autoComplete="off"
          value={draft.name}
          onChange={(content) => onChange({ name: content, isNamed: true })}
        />
        <Settings {...props} keys={['description']} />
      </div>
      <RadioCards
        label="Transport"
        options={transports}
        value={draft.transport}
        onChange={(transport) => onChange({ transport })}
        className="sm:grid-cols-2 sm:*:last:odd:col-span-2"
      />
      {draft.transport === 'stdio' && <ProgramNotice onSignIn={onSignIn} />}
      {draft.transport === 'stdio' ? (
        <>
          <ProgramFields {...props} />
          <Settings {...props} keys={['cwd']} />
        </>
      ) : (
        <RemoteFields {...props} />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Settings {...props} keys={['timeout', 'retryAttempts']} />
      </div>
      <AdvancedFields {...props} />
      <Settings {...props} keys={['enabled']} />
    </div>
  );
}

/** Settings as the contract describes them. */
function Settings({ draft, problems, onChange, keys }: FormPartProps & { readonly keys: readonly string[] }) {
  return (
    <SettingFields
      fields={fieldsFor('server', keys)}
      values={draft.settings}
      problemAt={problems.at}
      onChange={(part) => onChange({ settings: { ...draft.settings, ...part } })}
    />
  );
}

/** The settings that stand in the form itself. */
const mainKeys: readonly string[] = ['description', 'cwd', 'timeout', 'retryAttempts', insecureUrlKey, 'enabled'];

/** Settings that most servers do not need: all others of the contract. */
function AdvancedFields(props: FormPartProps) {
  const keys = settingFields(props.draft).flatMap(({ key }) => (mainKeys.includes(key) ? [] : [key]));
  return (
    // A problem must not be hidden.
    <details open={keys.some((key) => props.problems.at(key) !== undefined) || undefined}>
      <summary className="cursor-pointer font-medium">Advanced settings</summary>
      <div className="mt-3 grid items-start gap-3 sm:grid-cols-2">
        <Settings {...props} keys={keys} />
      </div>
    </details>
  );
}

/** The command, arguments and environment of a local server. */
function ProgramFields({ draft, problems, onChange }: FormPartProps) {
  const words = splitCommand(draft.command) ?? [];
  const [program = '', ...more] = words;
  return (
    <>
      <TextField
        label="Command"
        required
        hint="A program on the machine of the gateway, such as npx, uvx or a path. Put arguments below."
        error={problems.at('command')}
        mono
        placeholder="npx"
        value={draft.command}
        onChange={(text) => onChange({ command: text })}
      />
      {more.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-2.5 py-1.5">
          <p className="min-w-0 flex-1">This looks like a command line with arguments.</p>
          <Button
            size="small"
            onClick={() => {
              const args = [...more.map((word) => newLine('', word)), ...draft.args];
              onChange({ command: program, args });
            }}
          >
            Split into arguments
          </Button>
        </div>
      )}
      <LineList
        title="Arguments"
        noun="argument"
        hint="One argument per line, without quotes."
        lines={draft.args}
        isNamed={false}
        problemAt={(_line, at) => problems.at(`args.${at}`)}
        onChange={(args) => onChange({ args })}
      />
      <LineList
        title="Environment variables"
        noun="variable"
        hint="The server gets these and a minimal environment. Values are stored encrypted."
        lines={draft.env}
        isNamed
        problemAt={({ name }) => problems.at(`env.${name}`)}
        onChange={(env) => onChange({ env })}
      />
    </>
  );
}

/** The URL, authentication and headers of a remote server. */
function RemoteFields(props: FormPartProps) {
  const { draft, initial, problems, onChange } = props;
  const isApi = draft.transport === 'api';
  const isInsecure = [draft.url, isApi ? draft.openapi : ''].some((url) => isInsecureUrl(url.trim()));
  return (
    <>
      <UrlField
        label={isApi ? 'Base URL' : 'URL'}
        hint={
          isApi
            ? 'For example https://api.example.com/v1, without the paths of the endpoints.'
            : 'For example https://example.com/mcp'
        }
        required
        stored={initial.url}
        value={draft.url}
        error={problems.at('url')}
        onChange={(url) => onChange({ url })}
      />
      {isApi && <ApiFields {...props} />}
      {(draft.settings[insecureUrlKey] === true || isInsecure) && <Settings {...props} keys={[insecureUrlKey]} />}
      <AuthenticationFields {...props} />
      <LineList
        title="Headers"
        noun="header"
        hint="Sent with every request. Values are stored encrypted and not shown again."
        lines={draft.headers}
        isNamed
        problemAt={({ name }) => problems.at(`headers.${name}`)}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}

function ApiFields({ draft, initial, problems, onChange }: FormPartProps) {
  return (
    <>
      <UrlField
        label="OpenAPI document"
        hint="A URL such as https://api.example.com/openapi.json. Each operation becomes a tool."
        stored={initial.openapi}
        value={draft.openapi}
        error={problems.at('openapi')}
        onChange={(openapi) => onChange({ openapi })}
      />
      <EndpointList endpoints={draft.endpoints} problems={problems} onChange={(endpoints) => onChange({ endpoints })} />
    </>
  );
}

interface UrlFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
  /** The stored URL, without its query. */
  readonly stored: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (url: string) => void;
}

/** A URL field. The stored query may be a secret and is never shown. */
function UrlField({ label, hint, required = false, stored, value, error, onChange }: UrlFieldProps) {
  const keepsQuery = stored.endsWith('?…');
  return (
    <TextField
      label={label}
      required={required}
      hint={keepsQuery ? 'The query is stored and not shown. It is kept while the rest of the URL is unchanged.' : hint}
      error={error}
      mono
      type="url"
      inputMode="url"
      value={value}
      onChange={(text) => onChange(text)}
    />
  );
}

/** The others need files of the gateway's machine, which only the configuration file can name. */
const offeredGrants: readonly unknown[] = ['authorization-code', 'client-credentials'];

/** How the gateway authenticates to the server. */
function AuthenticationFields({ draft, initial, problems, onChange }: FormPartProps) {
  const { choices = [], variants = {} } = authenticationField;
  const { grant = 'authorization-code' } = draft.authentication;
  const type = authenticationType(draft);
  const isOffered = ([value]: readonly [string, string]) =>
    offeredGrants.includes(value) || value === initial.authentication.grant;
  const oauth = variants.oauth?.map((field) =>
    field.key === 'grant'
      ? { ...field, default: 'authorization-code', choices: field.choices?.filter(isOffered) }
      : field,
  );
  const field = {
    ...authenticationField,
    choices: choices.filter(([value]) => draft.transport !== 'api' || value !== 'oauth'),
    variants: { ...variants, oauth: oauth ?? [] },
  };
  const hint =
    type === 'oauth' && grant === 'authorization-code'
      ? 'Save the server, then sign in from the list. Fill in the fields below only if the service gave you a client id.'
      : undefined;
  return (
    <SettingFields
      fields={[field]}
      values={{ authentication: { ...draft.authentication, type } }}
      stored={{ authentication: initial.authentication }}
      hints={{ authentication: hint }}
      problemAt={problems.at}
      onChange={(part) => onChange(part as Pick<ServerDraft, 'authentication'>)}
    />
  );
}
