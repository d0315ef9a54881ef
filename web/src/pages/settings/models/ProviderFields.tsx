import { Button } from '../../../components/Button.tsx';
import { problemAt } from '../../../components/field-problems.ts';
import { Checkbox, Field, Input } from '../../../components/fields.tsx';
import type { ProviderDraft } from './provider-draft.ts';

export interface ProviderFieldsProps {
  readonly draft: ProviderDraft;
  readonly keyHint: string;
  readonly hasStoredKey: boolean;
  readonly error: unknown;
  readonly onChange: (change: Partial<ProviderDraft>) => void;
}

export function ProviderFields({ draft, keyHint, hasStoredKey, error, onChange }: ProviderFieldsProps) {
  const needsAddress = draft.kind === 'openai-compatible';
  return (
    <>
      <Field label="Name" required error={problemAt(error, 'name')} hint="What you call it in the list of providers.">
        {(props) => (
          <Input {...props} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
        )}
      </Field>
      <Field
        label="Address"
        required={needsAddress}
        error={problemAt(error, 'baseUrl')}
        hint={
          needsAddress
            ? 'Up to and with /v1, as a rule.'
            : "Leave it empty for the provider's own. Only for a proxy that stands in for it."
        }
      >
        {(props) => (
          <Input
            {...props}
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder={needsAddress ? 'https://example.com/v1' : "The provider's own"}
            value={draft.baseUrl}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      {isPlainElsewhere(draft.baseUrl) && (
        <Checkbox
          label="Allow plain HTTP to another machine"
          hint="The key and everything said could be read on the way."
          checked={draft.allowInsecure}
          onChange={(allowInsecure) => onChange({ allowInsecure })}
        />
      )}
      <KeyField draft={draft} hint={keyHint} hasStored={hasStoredKey} error={error} onChange={onChange} />
    </>
  );
}

/** Whether there is anything to allow; what is allowed, the gateway decides. */
function isPlainElsewhere(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

interface KeyFieldProps extends Pick<ProviderFieldsProps, 'draft' | 'error' | 'onChange'> {
  readonly hint: string;
  readonly hasStored: boolean;
}

function KeyField({ draft, hint, hasStored, error, onChange }: KeyFieldProps) {
  const isKept = hasStored && draft.keepsKey;
  const stored = isKept ? 'A key is stored and stays unless you type another.' : 'The stored key will be removed.';
  return (
    <div className="flex items-start gap-2">
      <Field
        className="min-w-0 flex-1"
        label="API key"
        error={problemAt(error, 'apiKey')}
        hint={hasStored ? stored : `${hint} It is kept encrypted and never shown again.`.trim()}
      >
        {(props) => (
          <Input
            {...props}
            type="password"
            autoComplete="off"
            placeholder={isKept ? '••••••••' : ''}
            value={draft.apiKey}
            onChange={(event) => onChange({ apiKey: event.target.value })}
          />
        )}
      </Field>
      {hasStored && (
        <Button className="mt-6" onClick={() => onChange({ keepsKey: !draft.keepsKey, apiKey: '' })}>
          {isKept ? 'Remove' : 'Keep'}
        </Button>
      )}
    </div>
  );
}
