import { useQuery } from '@tanstack/react-query';
import type { ModelChoice, Provider } from '../../api/client.ts';
import { queries, useIsAdmin } from '../../api/queries.ts';
import { ErrorNotice, messageOf, Notice } from '../../components/ErrorNotice.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Field, SelectField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { text } from '../../text/text.ts';
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
  const providers = useQuery(queries.providers());
  const selected = providers.data?.find(({ id }) => id === provider);
  const isDemo = provider === demoModel.provider;
  const canList = useIsAdmin();
  const models = useQuery({ ...queries.models(provider), enabled: selected !== undefined && !isDemo && canList });
  if (providers.isError) return <ErrorNotice error={providers.error} onRetry={() => void providers.refetch()} />;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={text.assistants.provider.label}
          error={problemAt(error, 'model.provider')}
          hint={<TextLink href="/settings/models">{text.assistants.provider.manage}</TextLink>}
          options={[
            ...(selected === undefined
              ? [[provider, text.assistants.provider.deletedOption(safeText(provider, 60))] as const]
              : []),
            ...(providers.data?.map((option) => [option.id, labelProvider(option)] as const) ?? []),
          ]}
          value={provider}
          onChange={(id) => onChange(id === 'demo' ? demoModel : { provider: id, model: '' })}
        />
        {!isDemo && (
          <Field
            label={text.assistants.models.label}
            required
            hint={describeModels(models)}
            error={problemAt(error, 'model.model')}
          >
            {(props) => (
              <Combobox
                {...props}
                listLabel={text.assistants.models.list}
                value={model}
                placeholder={text.assistants.models.placeholder}
                options={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? '' }))}
                onChange={(typed) => onChange({ provider, model: typed })}
                onPick={(picked) => onChange({ provider, model: picked })}
              />
            )}
          </Field>
        )}
      </div>
      {!isDemo && canList && model.trim() !== '' && <ModelSettingsButton model={{ provider, model: model.trim() }} />}
      {isDemo && <Notice title={text.assistants.provider.demoTitle}>{text.assistants.provider.demoDetail}</Notice>}
      {providers.data && selected === undefined && <Notice tone="warn">{text.assistants.provider.deleted}</Notice>}
    </>
  );
}

function labelProvider({ name, source, kind }: Provider): string {
  if (kind === 'demo') return text.assistants.provider.demoOption;
  return source === 'environment' ? text.assistants.provider.environmentOption(safeText(name, 80)) : safeText(name, 80);
}

function describeModels({ isError, error, data, isLoading }: ReturnType<typeof useQuery<readonly unknown[]>>): string {
  if (isLoading) return text.assistants.models.loading;
  if (isError) return text.assistants.models.failed(safeText(messageOf(error), 300));
  return data ? text.assistants.models.found(data.length) : text.assistants.models.byName;
}
