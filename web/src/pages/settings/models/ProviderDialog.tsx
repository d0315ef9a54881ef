import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Provider, type ProviderInput } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, Form, SelectField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { text } from '../../../text/text.ts';
import { ProviderTestResult } from './ProviderTestResult.tsx';
import { firstPreset, type ProviderPreset, presets } from './provider-presets.ts';

/** Adds or edits a provider, with a test before saving. */
export function ProviderDialog({
  provider,
  onClose,
}: {
  readonly provider: Provider | undefined;
  readonly onClose: () => void;
}) {
  const [preset, setPreset] = useState(firstPreset);
  const [draft, setDraft] = useState(() => (provider ? toDraft(provider) : presetDraft(preset)));
  const client = useQueryClient();
  const toast = useToast();
  const testController = useRef<AbortController>(undefined);
  useEffect(() => () => testController.current?.abort(), []);

  const testing = useMutation({
    mutationFn() {
      testController.current = new AbortController();
      const body = { ...toProviderInput(draft), provider: provider?.id };
      return api.testProvider({ body, signal: testController.current.signal });
    },
  });
  const saving = useMutation({
    mutationFn: () => {
      const body = toProviderInput(draft);
      return provider ? api.updateProvider({ path: { provider: provider.id }, body }) : api.addProvider({ body });
    },
    onSuccess() {
      toast(text.settings.providerDialog.providerSaved);
      onClose();
      return client.invalidateQueries({ queryKey: ['providers'] });
    },
  });
  const error = saving.error ?? testing.error;

  return (
    <Dialog
      open
      onClose={onClose}
      title={
        provider
          ? text.settings.providerDialog.edit(safeText(provider.name, 100))
          : text.settings.providerDialog.addProvider
      }
      footer={
        <>
          {testing.isPending ? (
            <Button className="mr-auto" onClick={() => testController.current?.abort()}>
              {text.settings.providerDialog.stopTest}
            </Button>
          ) : (
            <Button className="mr-auto" onClick={() => testing.mutate()}>
              {text.common.test}
            </Button>
          )}
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button type="submit" form="provider" look="primary" busy={saving.isPending}>
            {text.common.save}
          </Button>
        </>
      }
    >
      <Form
        id="provider"
        aria-label={text.settings.providerDialog.provider}
        className="flex flex-col gap-4"
        onSubmit={() => {
          testing.reset();
          saving.mutate();
        }}
      >
        {!provider && (
          <SelectField
            label={text.settings.providerDialog.provider}
            options={presets.map(
              ({ name }) =>
                [name, name === 'Other' ? text.settings.providerDialog.otherOpenaiCompatible : name] as const,
            )}
            value={preset.name}
            onChange={(name) => {
              const selected = presets.find((option) => option.name === name) ?? firstPreset;
              setPreset(selected);
              setDraft(presetDraft(selected));
              testing.reset();
              saving.reset();
            }}
          />
        )}
        <ProviderFields
          draft={draft}
          keyHint={provider ? '' : preset.keyHint}
          hasStoredKey={provider?.apiKey !== undefined}
          error={error}
          onChange={(change) => {
            setDraft((current) => ({ ...current, ...change }));
            testing.reset();
          }}
        />
        {testing.isPending && <p role="status">{text.settings.providerDialog.testing}</p>}
        {testing.data && <ProviderTestResult test={testing.data} />}
        {error && !hasFieldProblems(error) && error.name !== 'AbortError' && <ErrorNotice error={error} />}
      </Form>
    </Dialog>
  );
}

interface ProviderFieldsProps {
  readonly draft: ProviderDraft;
  readonly keyHint: string;
  readonly hasStoredKey: boolean;
  readonly error: unknown;
  readonly onChange: (change: Partial<ProviderDraft>) => void;
}

/** The fields of a provider. */
function ProviderFields({ draft, keyHint, hasStoredKey, error, onChange }: ProviderFieldsProps) {
  const needsUrl = draft.kind === 'openai-compatible';
  return (
    <>
      <TextField
        label={text.common.name}
        required
        error={problemAt(error, 'name')}
        hint={text.settings.providerDialog.shownListProviders}
        value={draft.name}
        onChange={(text) => onChange({ name: text })}
      />
      <TextField
        label={text.settings.providerDialog.baseUrl}
        required={needsUrl}
        error={problemAt(error, 'baseUrl')}
        hint={needsUrl ? text.settings.providerDialog.usuallyEndsV1 : text.settings.providerDialog.onlyProxyLeaveEmpty}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder={needsUrl ? 'https://example.com/v1' : text.settings.providerDialog.default}
        value={draft.baseUrl}
        onChange={(text) => onChange({ baseUrl: text })}
      />
      {isRemoteHttp(draft.baseUrl) && (
        <Checkbox
          label={text.settings.providerDialog.allowUnencryptedHttp}
          hint={text.settings.providerDialog.othersNetworkCouldRead}
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
  const stored = keepsStored
    ? text.settings.providerDialog.keyStoredTypeAnother
    : text.settings.providerDialog.storedKeyWillRemoved;
  return (
    <div className="flex items-start gap-2">
      <TextField
        className="min-w-0 flex-1"
        label={text.settings.providerDialog.apiKey}
        error={problemAt(error, 'apiKey')}
        hint={hasStored ? stored : text.settings.providerDialog.keyStored(hint).trim()}
        type="password"
        autoComplete="off"
        placeholder={keepsStored ? '••••••••' : ''}
        value={draft.apiKey}
        onChange={(text) => onChange({ apiKey: text })}
      />
      {hasStored && (
        <Button className="mt-6" onClick={() => onChange({ keepsKey: !draft.keepsKey, apiKey: '' })}>
          {keepsStored ? text.common.remove : text.settings.providerDialog.keep}
        </Button>
      )}
    </div>
  );
}

/** A provider in the form. */
interface ProviderDraft {
  readonly name: string;
  readonly kind: ProviderInput['kind'];
  readonly baseUrl: string;
  readonly allowInsecure: boolean;
  readonly apiKey: string;
  /** Whether the stored key is kept if no other is typed. */
  readonly keepsKey: boolean;
}

/** The initial values of a preset. */
function presetDraft({ name, kind, baseUrl }: ProviderPreset): ProviderDraft {
  return { name: name === 'Other' ? '' : name, kind, baseUrl, allowInsecure: false, apiKey: '', keepsKey: false };
}

/** The values of a stored provider. */
function toDraft({ name, kind, baseUrl, allowInsecure, apiKey }: Provider): ProviderDraft {
  return {
    name,
    kind: kind === 'demo' ? 'openai-compatible' : kind,
    baseUrl: baseUrl ?? '',
    allowInsecure: allowInsecure ?? false,
    apiKey: '',
    keepsKey: apiKey !== undefined,
  };
}

/** The body of the request. An unchanged key is sent as its mask. */
function toProviderInput({ apiKey, keepsKey, baseUrl, ...draft }: ProviderDraft): ProviderInput {
  const typed = apiKey.trim();
  return {
    ...draft,
    baseUrl: baseUrl.trim() || undefined,
    apiKey: typed || (keepsKey ? { set: true } : undefined),
  };
}
