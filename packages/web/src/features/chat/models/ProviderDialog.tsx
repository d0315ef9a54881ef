import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formFields } from '../../../../../contract/form-fields.ts';
import { insecureUrlKey, isInsecureUrl } from '../../../../../contract/settings/server-url.ts';
import { api, type Provider, type ProviderInput } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { SelectField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { SettingFields } from '../../../components/settings-form/SettingFields.tsx';
import { fieldsFor, type SettingValues, toBody } from '../../../components/settings-form/setting-values.ts';
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
    <FormDialog
      onClose={onClose}
      title={provider ? `Edit ${safeText(provider.name, 100)}` : 'Add provider'}
      aside={
        testing.isPending ? (
          <Button className="mr-auto" onClick={() => testController.current?.abort()}>
            Stop test
          </Button>
        ) : (
          <Button className="mr-auto" onClick={() => testing.mutate()}>
            Test
          </Button>
        )
      }
      action={testing.data?.ok === false ? 'Save anyway' : 'Save'}
      busy={saving.isPending}
      onSubmit={saving.mutate}
    >
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
      <SettingFields
        fields={fieldsFor('provider', [
          ...['name', 'baseUrl'],
          ...(isInsecureUrl(String(draft.baseUrl ?? '').trim()) ? [insecureUrlKey] : []),
          'apiKey',
        ])}
        values={draft}
        stored={provider && { ...provider }}
        hints={{
          baseUrl:
            draft.kind === 'openai-compatible'
              ? 'Usually ends in /v1.'
              : 'Only for a proxy. Leave empty for the default.',
          apiKey: `${provider ? '' : preset.keyHint} The key is stored encrypted and never shown again.`.trim(),
        }}
        problemAt={(path) => problemAt(error, path)}
        onChange={(change) => {
          setDraft((current) => ({ ...current, ...change }));
          testing.reset();
        }}
      />
      {testing.isPending && <p role="status">Testing …</p>}
      {testing.data && <ProviderTestResult test={testing.data} />}
      {error && !hasFieldProblems(error) && error.name !== 'AbortError' && <ErrorNotice error={error} />}
    </FormDialog>
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

/** A provider in the form: its settings as the API takes them, also those that only a newer gateway knows. */
type ProviderDraft = Pick<ProviderInput, 'name' | 'kind'> & SettingValues;

/** The initial values of a preset. */
function presetDraft({ name, kind, baseUrl }: ProviderPreset): ProviderDraft {
  return { name: name === 'Other' ? '' : name, kind, baseUrl };
}

/** The values of a stored provider. */
function toDraft({ id: _id, source: _source, kind, ...settings }: Provider): ProviderDraft {
  return { ...settings, kind: kind === 'demo' ? 'openai-compatible' : kind };
}

/** The body of the request. A stored key is sent as its mask. */
function toProviderInput({ name, kind, ...settings }: ProviderDraft): ProviderInput {
  return { ...toBody(formFields.provider, settings), name, kind };
}
