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

/** The fields of a provider. */
export function ProviderFields({ draft, keyHint, hasStoredKey, error, onChange }: ProviderFieldsProps) {
  const needsUrl = draft.kind === 'openai-compatible';
  return (
    <>
      <Field label="Name" required error={problemAt(error, 'name')} hint="Shown in the list of providers.">
        {(props) => (
          <Input {...props} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
        )}
      </Field>
      <Field
        label="Base URL"
        required={needsUrl}
        error={problemAt(error, 'baseUrl')}
        hint={needsUrl ? 'Usually ends in /v1.' : 'Only for a proxy. Leave empty for the default.'}
      >
        {(props) => (
          <Input
            {...props}
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder={needsUrl ? 'https://example.com/v1' : 'Default'}
            value={draft.baseUrl}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      {isRemoteHttp(draft.baseUrl) && (
        <Checkbox
          label="Allow unencrypted HTTP"
          hint="Others on the network could read the key and all messages."
          checked={draft.allowInsecure}
          onChange={(allowInsecure) => onChange({ allowInsecure })}
        />
      )}
      <KeyField draft={draft} hint={keyHint} hasStored={hasStoredKey} error={error} onChange={onChange} />
    </>
  );
}

/** Whether the URL is HTTP to another machine. */
function isRemoteHttp(baseUrl: string): boolean {
  const url = URL.parse(baseUrl.trim());
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

interface KeyFieldProps extends Pick<ProviderFieldsProps, 'draft' | 'error' | 'onChange'> {
  readonly hint: string;
  readonly hasStored: boolean;
}

function KeyField({ draft, hint, hasStored, error, onChange }: KeyFieldProps) {
  const keepsStored = hasStored && draft.keepsKey;
  const stored = keepsStored ? 'A key is stored. Type another one to replace it.' : 'The stored key will be removed.';
  return (
    <div className="flex items-start gap-2">
      <Field
        className="min-w-0 flex-1"
        label="API key"
        error={problemAt(error, 'apiKey')}
        hint={hasStored ? stored : `${hint} The key is stored encrypted and never shown again.`.trim()}
      >
        {(props) => (
          <Input
            {...props}
            type="password"
            autoComplete="off"
            placeholder={keepsStored ? '••••••••' : ''}
            value={draft.apiKey}
            onChange={(event) => onChange({ apiKey: event.target.value })}
          />
        )}
      </Field>
      {hasStored && (
        <Button className="mt-6" onClick={() => onChange({ keepsKey: !draft.keepsKey, apiKey: '' })}>
          {keepsStored ? 'Remove' : 'Keep'}
        </Button>
      )}
    </div>
  );
}
