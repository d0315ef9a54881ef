import { useQuery } from '@tanstack/react-query';
import type { ModelChoice, Provider } from '../../../api/client.ts';
import { useIsAdmin } from '../../../api/queries.ts';
import { ErrorNotice, messageOf, Notice } from '../../../components/ErrorNotice.tsx';
import { problemAt } from '../../../components/field-problems.ts';
import { Field, SelectField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TextLink } from '../../../components/TextLink.tsx';
import { plural } from '../../../text/plural.ts';
import { chatQueries } from '../queries.ts';
import { demoModel } from './assistant-draft.ts';
import { Combobox } from './Combobox.tsx';
import { ModelSettingsButton } from './ModelSettingsDialog.tsx';

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
  const canList = useIsAdmin();
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
