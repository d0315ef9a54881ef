import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { ModelChoice, ModelSettings } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { hasFieldProblems, problemAt } from '../../components/field-problems.ts';
import { Form, SelectField, TextField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { text } from '../../text/text.ts';

/** Opens the settings of a model. */
export function ModelSettingsButton({ model }: { readonly model: ModelChoice }) {
  const [isOpen, setOpen] = useState(false);
  const settings = useQuery(queries.modelSettings()).data;
  return (
    <>
      <Button size="small" className="self-start" disabled={!settings} onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden />
        {text.assistants.modelSettings.open}
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

/** Sets whether a model takes images, and its prices. */
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
  const saving = useMutation({
    mutationFn: () =>
      api.putModelSettings({
        body: {
          provider,
          model,
          takesImages: images === '' ? undefined : images === 'yes',
          inputPrice: toPrice(prices.inputPrice),
          cachedInputPrice: toPrice(prices.cachedInputPrice),
          outputPrice: toPrice(prices.outputPrice),
        },
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: ['model-settings'] });
      toast(text.assistants.modelSettings.done);
      onClose();
    },
  });
  const labels = {
    inputPrice: { label: text.assistants.modelSettings.input },
    cachedInputPrice: {
      label: text.assistants.modelSettings.cachedInput,
      hint: text.assistants.modelSettings.cachedHint,
    },
    outputPrice: { label: text.assistants.modelSettings.output },
  };
  const { '': byProvider, yes, no } = text.assistants.modelSettings.imageOptions;
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.assistants.modelSettings.title(safeText(model, 80))}
      description={text.assistants.modelSettings.detail}
      footer={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button type="submit" form={formId} look="primary" busy={saving.isPending}>
            {text.common.save}
          </Button>
        </>
      }
    >
      <Form id={formId} className="flex flex-col gap-4" onSubmit={() => saving.mutate()}>
        {saving.isError && !hasFieldProblems(saving.error) && <ErrorNotice error={saving.error} />}
        <SelectField
          label={text.assistants.modelSettings.images}
          hint={text.assistants.modelSettings.imagesHint}
          options={[
            ['', byProvider],
            ['yes', yes],
            ['no', no],
          ]}
          value={images}
          onChange={setImages}
        />
        <fieldset className="flex flex-col gap-1">
          <legend className="font-medium">{text.assistants.modelSettings.prices}</legend>
          <p className="text-xs text-ink-faint">{text.assistants.modelSettings.pricesHint}</p>
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
