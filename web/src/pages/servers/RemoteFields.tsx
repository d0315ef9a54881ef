import { Checkbox, Field, Input } from '../../components/fields.tsx';
import { AuthenticationFields } from './AuthenticationFields.tsx';
import type { FormPartProps } from './form-part.ts';
import { SecretLines } from './SecretLines.tsx';

// Where the question does not come up, it need not be read.
const plainElsewhere = /^http:\/\/(?!localhost\b|127\.|\[::1\])./i;

/** Where a server is, and what it is told about who asks. */
export function RemoteFields(props: FormPartProps) {
  const { draft, initial, problems, onChange } = props;
  const keepsQuery = initial.url.endsWith('?…');
  return (
    <>
      <Field
        label="URL"
        required
        hint={
          keepsQuery
            ? 'What follows the question mark is stored and not shown. It stays as long as this address does.'
            : 'Such as https://example.com/mcp'
        }
        error={problems.at('url')}
      >
        {(field) => (
          <Input
            {...field}
            type="url"
            inputMode="url"
            className="font-mono"
            spellCheck={false}
            autoComplete="off"
            value={draft.url}
            onChange={(event) => onChange({ url: event.target.value })}
          />
        )}
      </Field>
      {(draft.allowInsecure || plainElsewhere.test(draft.url.trim())) && (
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
