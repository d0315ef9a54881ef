import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Provider, type ProviderInput } from '../../../api/client.ts';
import { otherSettings } from '../../../api/other-settings.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Checkbox, Form, SelectField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { chooseModel } from './choose-model.ts';
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
    /** Saves a provider that works, or one that a person saves although it does not. */
    async mutationFn() {
      const test = testing.data ?? (await testing.mutateAsync());
      if (!test.ok && !testing.data) return undefined;
      const body = toProviderInput(draft);
      if (provider) return api.updateProvider({ path: { provider: provider.id }, body });
      const model = chooseModel(body.kind, test.models);
      return { ...(await api.addProvider({ body: { ...body, assistantModel: model } })), model };
    },
    onSuccess(saved) {
      if (!saved) return undefined;
      if (!('assistant' in saved)) {
        toast('Provider saved.');
        onClose();
      }
      return Promise.all([
        client.invalidateQueries({ queryKey: ['providers'] }),
        client.invalidateQueries({ queryKey: ['assistants'] }),
      ]);
    },
  });
  const error = saving.error ?? testing.error;
  if (saving.data && 'assistant' in saving.data) return <AssistantReady {...saving.data} onClose={onClose} />;

  return (
    <Dialog
      open
      onClose={onClose}
      title={provider ? `Edit ${safeText(provider.name, 100)}` : 'Add provider'}
      footer={
        <>
          {testing.isPending ? (
            <Button className="mr-auto" onClick={() => testController.current?.abort()}>
              Stop test
            </Button>
          ) : (
            <Button className="mr-auto" onClick={() => testing.mutate()}>
              Test
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="provider" look="primary" busy={saving.isPending}>
            {testing.data?.ok === false ? 'Save anyway' : 'Save'}
          </Button>
        </>
      }
    >
      <Form id="provider" aria-label="Provider" className="flex flex-col gap-4" onSubmit={() => saving.mutate()}>
        {!provider && (
          <SelectField
            label="Provider"
            options={presets.map(({ name }) => [name, name === 'Other' ? 'Other (OpenAI-compatible)' : name] as const)}
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
        {testing.isPending && <p role="status">Testing …</p>}
        {testing.data && <ProviderTestResult test={testing.data} />}
        {error && !hasFieldProblems(error) && error.name !== 'AbortError' && <ErrorNotice error={error} />}
      </Form>
    </Dialog>
  );
}

interface AssistantReadyProps {
  readonly name: string;
  readonly assistant?: string | undefined;
  readonly model?: string | undefined;
  readonly onClose: () => void;
}

/** Leads from a new provider to the first conversation with one of its models. */
function AssistantReady({ name, assistant, model = '', onClose }: AssistantReadyProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${safeText(name, 100)} is ready`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <ButtonLink href={`/chat?assistant=${assistant}`} look="primary">
            Start a chat
          </ButtonLink>
        </>
      }
    >
      <p>
        The assistant “{safeText(name, 100)}” answers with <code className="text-xs">{safeText(model, 200)}</code> and
        has the tools of all enabled servers. It asks before each call. You can choose another model in the chat.
      </p>
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
        label="Name"
        required
        error={problemAt(error, 'name')}
        hint="Shown in the list of providers."
        value={draft.name}
        onChange={(text) => onChange({ name: text })}
      />
      <TextField
        label="Base URL"
        required={needsUrl}
        error={problemAt(error, 'baseUrl')}
        hint={needsUrl ? 'Usually ends in /v1.' : 'Only for a proxy. Leave empty for the default.'}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder={needsUrl ? 'https://example.com/v1' : 'Default'}
        value={draft.baseUrl}
        onChange={(text) => onChange({ baseUrl: text })}
      />
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
      <TextField
        className="min-w-0 flex-1"
        label="API key"
        error={problemAt(error, 'apiKey')}
        hint={hasStored ? stored : `${hint} The key is stored encrypted and never shown again.`.trim()}
        type="password"
        autoComplete="off"
        placeholder={keepsStored ? '••••••••' : ''}
        value={draft.apiKey}
        onChange={(text) => onChange({ apiKey: text })}
      />
      {hasStored && (
        <Button className="mt-6" onClick={() => onChange({ keepsKey: !draft.keepsKey, apiKey: '' })}>
          {keepsStored ? 'Remove' : 'Keep'}
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
  /** Settings that the form does not show. Saving keeps them. */
  readonly others: Partial<ProviderInput>;
}

/** The initial values of a preset. */
function presetDraft({ name, kind, baseUrl }: ProviderPreset): ProviderDraft {
  return {
    name: name === 'Other' ? '' : name,
    kind,
    baseUrl,
    allowInsecure: false,
    apiKey: '',
    keepsKey: false,
    others: {},
  };
}

/** The values of a stored provider. */
const shownKeys = [
  'id',
  'name',
  'kind',
  'source',
  'baseUrl',
  'allowInsecure',
  'apiKey',
] satisfies readonly (keyof Provider)[];

function toDraft(provider: Provider): ProviderDraft {
  const { name, kind, baseUrl, allowInsecure, apiKey } = provider;
  return {
    name,
    kind: kind === 'demo' ? 'openai-compatible' : kind,
    baseUrl: baseUrl ?? '',
    allowInsecure: allowInsecure ?? false,
    apiKey: '',
    keepsKey: apiKey !== undefined,
    others: otherSettings(provider, shownKeys) as Partial<ProviderInput>,
  };
}

/** The body of the request. An unchanged key is sent as its mask. */
function toProviderInput({ apiKey, keepsKey, baseUrl, others, ...draft }: ProviderDraft): ProviderInput {
  const typed = apiKey.trim();
  return {
    ...others,
    ...draft,
    baseUrl: baseUrl.trim() || undefined,
    apiKey: typed || (keepsKey ? { set: true } : undefined),
  };
}
