import { Checkbox, TextField } from '../../components/fields.tsx';
import { AuthenticationFields } from './AuthenticationFields.tsx';
import { EndpointList } from './endpoints/EndpointList.tsx';
import type { FormPartProps } from './form-problems.ts';
import { LineList } from './LineList.tsx';

const remoteHttp = /^http:\/\/(?!localhost\b|127\.|\[::1\])./i;

/** The URL, authentication and headers of a remote server. */
export function RemoteFields(props: FormPartProps) {
  const { draft, initial, problems, onChange } = props;
  const isApi = draft.transport === 'api';
  const isRemoteHttp = [draft.url, isApi ? draft.openapi : ''].some((url) => remoteHttp.test(url.trim()));
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
      {(draft.allowInsecure || isRemoteHttp) && (
        <Checkbox
          label="Allow unencrypted HTTP"
          hint="Others on the network could read and change the requests, including secrets."
          checked={draft.allowInsecure}
          onChange={(allowInsecure) => onChange({ allowInsecure })}
        />
      )}
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
