import { Checkbox } from '../../components/fields.tsx';
import { AddressField } from './AddressField.tsx';
import { ApiFields } from './ApiFields.tsx';
import { AuthenticationFields } from './AuthenticationFields.tsx';
import type { FormPartProps } from './form-part.ts';
import { SecretLines } from './SecretLines.tsx';

// Where the question does not come up, it need not be read.
const plainElsewhere = /^http:\/\/(?!localhost\b|127\.|\[::1\])./i;

/** Where a server is, and what it is told about who asks. */
export function RemoteFields(props: FormPartProps) {
  const { draft, initial, problems, onChange } = props;
  const isApi = draft.transport === 'api';
  const isPlain = [draft.url, isApi ? draft.openapi : ''].some((address) => plainElsewhere.test(address.trim()));
  return (
    <>
      <AddressField
        label={isApi ? 'Base URL' : 'URL'}
        hint={
          isApi
            ? 'Such as https://api.example.com/v1; the paths of its endpoints follow.'
            : 'Such as https://example.com/mcp'
        }
        required
        stored={initial.url}
        value={draft.url}
        error={problems.at('url')}
        onChange={(url) => onChange({ url })}
      />
      {isApi && <ApiFields {...props} />}
      {(draft.allowInsecure || isPlain) && (
        <Checkbox
          label="Allow plain http to another machine"
          hint="Everyone on the way could read and change what is sent, secrets too."
          checked={draft.allowInsecure}
          onChange={(allowInsecure) => onChange({ allowInsecure })}
        />
      )}
      <AuthenticationFields {...props} />
      <SecretLines
        title="Headers"
        what="header"
        hint="Sent with every request. Values are stored encrypted and not shown again."
        lines={draft.headers}
        problemAt={(name) => problems.at(`headers.${name}`)}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}
