import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../api/api.ts';
import type { Provider } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems } from '../../../components/field-problems.ts';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { PresetField } from './PresetField.tsx';
import { ProviderFields } from './ProviderFields.tsx';
import { ProviderTestResult } from './ProviderTestResult.tsx';
import { draftOfPreset, draftOfProvider, toProviderInput } from './provider-draft.ts';
import { firstPreset } from './provider-presets.ts';

/** Adds a provider, or changes the one given. It can be tried before it is saved. */
export function ProviderDialog({ provider, onClose }: { readonly provider?: Provider; readonly onClose: () => void }) {
  const [preset, setPreset] = useState(firstPreset);
  const [draft, setDraft] = useState(() => (provider ? draftOfProvider(provider) : draftOfPreset(preset)));
  const client = useQueryClient();
  const toast = useToast();
  const trial = useRef<AbortController>(undefined);
  useEffect(() => () => trial.current?.abort(), []);

  const testing = useMutation({
    mutationFn() {
      trial.current = new AbortController();
      const body = { ...toProviderInput(draft), ...(provider && { provider: provider.id }) };
      return api.testProvider({ body, signal: trial.current.signal });
    },
  });
  const saving = useMutation({
    mutationFn: () => {
      const body = toProviderInput(draft);
      return provider ? api.updateProvider({ path: { provider: provider.id }, body }) : api.addProvider({ body });
    },
    onSuccess() {
      toast('The provider is saved.');
      onClose();
      return client.invalidateQueries({ queryKey: ['providers'] });
    },
  });
  // The field that is wrong is wrong for both.
  const error = saving.error ?? testing.error;

  return (
    <Dialog
      open
      onClose={onClose}
      title={provider ? `Edit ${safeText(provider.name, 100)}` : 'Add provider'}
      footer={
        <>
          {testing.isPending ? (
            <Button className="mr-auto" onClick={() => trial.current?.abort()}>
              Stop the test
            </Button>
          ) : (
            <Button className="mr-auto" onClick={() => testing.mutate()}>
              Test
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="provider" look="primary" busy={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="provider"
        noValidate
        aria-label="Provider"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          testing.reset();
          saving.mutate();
        }}
      >
        {!provider && (
          <PresetField
            value={preset}
            onChange={(chosen) => {
              setPreset(chosen);
              setDraft(draftOfPreset(chosen));
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
            setDraft((before) => ({ ...before, ...change }));
            testing.reset();
          }}
        />
        {testing.isPending && <p role="status">Trying it …</p>}
        {testing.data && <ProviderTestResult test={testing.data} />}
        {error && !hasFieldProblems(error) && error.name !== 'AbortError' && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}
