import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { ModelChoice, ModelSettings } from '../../../api/client.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Form, SelectField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { chatQueries } from '../queries.ts';

/** Opens the settings of a model. */
export function ModelSettingsButton({ model }: { readonly model: ModelChoice }) {
  const [isOpen, setOpen] = useState(false);
  const settings = useQuery(chatQueries.modelSettings()).data;
  return (
    <>
      <Button size="small" className="self-start" disabled={!settings} onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden />
        Model settings
      </Button>
      {isOpen && settings && (
        <ModelSettingsDialog
          settings={settings.find((one) => one.provider === model.provider && one.model === model.model) ?? model}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface ModelSettingsDialogProps {
  readonly settings: ModelSettings;
  readonly onClose: () => void;
}

const formId = 'model-settings';
const priceNames = ['inputPrice', 'cachedInputPrice', 'outputPrice'] as const;

/** Sets whether a model takes images, how long it may take to begin an answer, and its prices. */
function ModelSettingsDialog({ settings, onClose }: ModelSettingsDialogProps) {
  const { provider, model } = settings;
  const client = useQueryClient();
  const toast = useToast();
  const [images, setImages] = useState(toChoice(settings.takesImages));
  const [prices, setPrices] = useState({
    inputPrice: toText(settings.inputPrice),
    cachedInputPrice: toText(settings.cachedInputPrice),
    outputPrice: toText(settings.outputPrice),
  });
  const [seconds, setSeconds] = useState(toText(settings.firstOutputMs && settings.firstOutputMs / 1_000));
  const saving = useMutation({
    mutationFn: () =>
      api.putModelSettings({
        body: {
          ...settings,
          provider,
          model,
          takesImages: images === '' ? undefined : images === 'yes',
          inputPrice: toPrice(prices.inputPrice),
          cachedInputPrice: toPrice(prices.cachedInputPrice),
          outputPrice: toPrice(prices.outputPrice),
          firstOutputMs: seconds.trim() === '' ? undefined : Math.round(Number(seconds) * 1_000),
        },
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: ['model-settings'] });
      toast('Model settings saved.');
      onClose();
    },
  });
  const labels = {
    inputPrice: { label: 'Input' },
    cachedInputPrice: {
      label: 'Cached input',
      hint: 'The price of input, if empty.',
    },
    outputPrice: { label: 'Output' },
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Settings of ${safeText(model, 80)}`}
      description="For every assistant that uses this model."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" busy={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form id={formId} className="flex flex-col gap-4" onSubmit={() => saving.mutate()}>
        {saving.isError && !hasFieldProblems(saving.error) && <ErrorNotice error={saving.error} />}
        <SelectField
          label="Images"
          hint="Whether people can attach images to messages for this model."
          options={[
            ['', 'As the provider says'],
            ['yes', 'The model takes images'],
            ['no', 'The model takes no images'],
          ]}
          value={images}
          onChange={setImages}
        />
        <TextField
          label="Time to begin an answer, in seconds"
          hint="An answer that has not begun by then fails. One minute, if empty."
          type="number"
          min={1}
          step="any"
          inputMode="decimal"
          error={problemAt(saving.error, 'firstOutputMs')}
          value={seconds}
          onChange={setSeconds}
        />
        <fieldset className="flex flex-col gap-1">
          <legend className="font-medium">Prices in US dollars per million tokens</legend>
          <p className="text-xs text-ink-faint">Later answers show their cost. Leave empty to show tokens only.</p>
          <div className="mt-2 grid gap-3 sm:grid-cols-3">
            {priceNames.map((name) => (
              <TextField
                key={name}
                {...labels[name]}
                type="number"
                min={0}
                step="any"
                inputMode="decimal"
                error={problemAt(saving.error, name)}
                value={prices[name]}
                onChange={(price) => setPrices({ ...prices, [name]: price })}
              />
            ))}
          </div>
        </fieldset>
      </Form>
    </Dialog>
  );
}

function toChoice(takesImages: boolean | undefined): '' | 'yes' | 'no' {
  if (takesImages === undefined) return '';
  return takesImages ? 'yes' : 'no';
}

function toText(price: number | undefined): string {
  return price === undefined ? '' : String(price);
}

function toPrice(typed: string): number | undefined {
  return typed.trim() === '' ? undefined : Number(typed);
}
