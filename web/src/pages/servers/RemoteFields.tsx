import { Checkbox, TextField } from '../../components/fields.tsx';
import { text } from '../../text/text.ts';
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
        label={isApi ? text.servers.remoteFields.baseUrl : text.servers.remoteFields.url}
        hint={
          isApi ? text.servers.remoteFields.exampleHttpsApiExample : text.servers.remoteFields.exampleHttpsExampleCom
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
          label={text.servers.remoteFields.allowUnencryptedHttp}
          hint={text.servers.remoteFields.othersNetworkCouldRead}
          checked={draft.allowInsecure}
          onChange={(allowInsecure) => onChange({ allowInsecure })}
        />
      )}
      <AuthenticationFields {...props} />
      <LineList
        title={text.servers.remoteFields.headers}
        noun={text.servers.nouns.header}
        hint={text.servers.remoteFields.sentEveryRequestValues}
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
        label={text.servers.remoteFields.openapiDocument}
        hint={text.servers.remoteFields.urlSuchHttpsApi}
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
      hint={keepsQuery ? text.servers.remoteFields.queryStoredNotShown : hint}
      error={error}
      mono
      type="url"
      inputMode="url"
      value={value}
      onChange={(text) => onChange(text)}
    />
  );
}
