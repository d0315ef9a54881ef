import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api, type ModelChoice, type ModelSettings, type Provider } from '../../../api/client.ts';
import { useMay } from '../../../api/queries.ts';
import { Button } from '../../../components/Button.tsx';
import { ErrorNotice, messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { FormDialog } from '../../../components/FormDialog.tsx';
import { hasFieldProblems, problemAt } from '../../../components/field-problems.ts';
import { Field, SelectField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TextLink } from '../../../components/TextLink.tsx';
import { useAction } from '../../../components/use-action.ts';
import { plural } from '../../../text/plural.ts';
import { chatQueries } from '../queries.ts';
import { demoModel } from './assistant-draft.ts';
import { Combobox } from './Combobox.tsx';

export interface ModelFieldsProps {
  readonly model: ModelChoice;
  readonly error: unknown;
  readonly onChange: (model: ModelChoice) => void;
}

/** Selects a provider and one of its models, from its list or by name. */
export function ModelFields({ model: { provider, model }, error, onChange }: ModelFieldsProps) {
  const providers = useQuery(chatQueries.providers());
  const selected = providers.data?.find(({ id }) => id === provider);
  const isDemo = provider === demoModel.provider;
  const canList = useMay('providers.write');
  const models = useQuery({ ...chatQueries.models(provider), enabled: selected !== undefined && !isDemo && canList });
  if (providers.isError) return <ErrorNotice error={providers.error} onRetry={() => void providers.refetch()} />;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Provider"
          error={problemAt(error, 'model.provider')}
          hint={<TextLink href="/settings/models">Add or change providers</TextLink>}
          options={[
            ...(selected === undefined ? [[provider, `${safeText(provider, 60)} (deleted)`] as const] : []),
            ...(providers.data?.map((option) => [option.id, labelProvider(option)] as const) ?? []),
          ]}
          value={provider}
          onChange={(id) => onChange(id === 'demo' ? demoModel : { provider: id, model: '' })}
        />
        {!isDemo && (
          <Field label="Model" required hint={describeModels(models)} error={problemAt(error, 'model.model')}>
            {(props) => (
              <Combobox
                {...props}
                listLabel="Models"
                value={model}
                placeholder="Select or type a name"
                options={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? '' }))}
                onChange={(typed) => onChange({ provider, model: typed })}
                onPick={(picked) => onChange({ provider, model: picked })}
              />
            )}
          </Field>
        )}
      </div>
      {!isDemo && canList && model.trim() !== '' && <ModelSettingsButton model={{ provider, model: model.trim() }} />}
      {isDemo && (
        <Notice title="The demo is not a model">
          Its answers are scripted and need no API key and no network. Add a provider to use a real model.
        </Notice>
      )}
      {providers.data && selected === undefined && (
        <Notice tone="warn">The provider of this assistant was deleted. Select another one.</Notice>
      )}
    </>
  );
}

function labelProvider({ name, source, kind }: Provider): string {
  if (kind === 'demo') return 'Demo (scripted answers)';
  return source === 'environment' ? `${safeText(name, 80)} (key from the environment)` : safeText(name, 80);
}

function describeModels({ isError, error, data, isLoading }: ReturnType<typeof useQuery<readonly unknown[]>>): string {
  if (isLoading) return 'Loading models …';
  if (isError) return `Could not list the models: ${safeText(messageOf(error), 300)} Type the name of a model.`;
  return data
    ? `${plural(data.length, 'model')} found. You can also type another name.`
    : 'The name that the provider uses.';
}

/** Opens the settings of a model. */
function ModelSettingsButton({ model }: { readonly model: ModelChoice }) {
  const [isOpen, setOpen] = useState(false);
  const settings = useQuery(chatQueries.modelSettings()).data;
  return (
    <>
      <Button
        size="small"
        className="self-start"
        disabled={!settings}
        onClick={() => setOpen(true)}
        icon={SlidersHorizontal}
      >
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

const priceFields = [
  { name: 'inputPrice', label: 'Input', hint: undefined },
  { name: 'cachedInputPrice', label: 'Cached input', hint: 'The price of input, if empty.' },
  { name: 'outputPrice', label: 'Output', hint: undefined },
] as const;

/** Sets whether a model takes images, how long it may take to begin an answer, and its prices. */
function ModelSettingsDialog({ settings, onClose }: ModelSettingsDialogProps) {
  const [images, setImages] = useState(toChoice(settings.takesImages));
  const [prices, setPrices] = useState({
    inputPrice: toText(settings.inputPrice),
    cachedInputPrice: toText(settings.cachedInputPrice),
    outputPrice: toText(settings.outputPrice),
  });
  const [seconds, setSeconds] = useState(toText(settings.firstOutputMs && settings.firstOutputMs / 1_000));
  const saving = useAction({
    run: () =>
      api.putModelSettings({
        body: {
          ...settings,
          takesImages: images === '' ? undefined : images === 'yes',
          inputPrice: toPrice(prices.inputPrice),
          cachedInputPrice: toPrice(prices.cachedInputPrice),
          outputPrice: toPrice(prices.outputPrice),
          firstOutputMs: seconds.trim() === '' ? undefined : Math.round(Number(seconds) * 1_000),
        },
      }),
    done: 'Model settings saved.',
    refetch: ['model-settings'],
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Settings of ${safeText(settings.model, 80)}`}
      description="For every assistant that uses this model."
      busy={saving.isPending}
      onSubmit={saving.mutate}
    >
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
          {priceFields.map(({ name, ...texts }) => (
            <TextField
              key={name}
              {...texts}
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
    </FormDialog>
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
