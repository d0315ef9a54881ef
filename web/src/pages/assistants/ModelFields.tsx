import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ModelChoice, Provider } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ErrorNotice, messageOf, Notice } from '../../components/ErrorNotice.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Field, Select } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { demoModel } from './assistant-draft.ts';
import { Combobox } from './Combobox.tsx';

export interface ModelFieldsProps {
  readonly model: ModelChoice;
  readonly error: unknown;
  readonly onChange: (model: ModelChoice) => void;
}

/** A provider, and one of its models: from its own list, or by name. */
export function ModelFields({ model: { provider, model }, error, onChange }: ModelFieldsProps) {
  const providers = useQuery(queries.providers());
  const known = providers.data?.find(({ id }) => id === provider);
  const isDemo = provider === demoModel.provider;
  const mayList = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  const models = useQuery({ ...queries.models(provider), enabled: known !== undefined && !isDemo && mayList });
  if (providers.isError) return <ErrorNotice error={providers.error} onRetry={() => void providers.refetch()} />;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Provider"
          error={problemAt(error, 'model.provider')}
          hint={
            <Link href="/settings/models" className="underline underline-offset-2">
              Add or change providers
            </Link>
          }
        >
          {(props) => (
            <Select
              {...props}
              value={provider}
              onChange={({ target: { value } }) =>
                onChange(value === 'demo' ? demoModel : { provider: value, model: '' })
              }
            >
              {known === undefined && <option value={provider}>{safeText(provider, 60)} (not there)</option>}
              {providers.data?.map((one) => (
                <option key={one.id} value={one.id}>
                  {nameOf(one)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {!isDemo && (
          <Field label="Model" required hint={hintFor(models)} error={problemAt(error, 'model.model')}>
            {(props) => (
              <Combobox
                {...props}
                what="Models"
                value={model}
                placeholder="Choose one, or type its name"
                options={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? '' }))}
                onChange={(typed) => onChange({ provider, model: typed })}
                onPick={(picked) => onChange({ provider, model: picked })}
              />
            )}
          </Field>
        )}
      </div>
      {isDemo && (
        <Notice title="The demo is no model">
          Its answers are scripted: it needs no key and no network, and shows how a conversation with tools, questions
          and results goes. For real answers, add a provider.
        </Notice>
      )}
      {providers.data && known === undefined && (
        <Notice tone="warn">
          The provider of this assistant is no longer there, so it can't answer. Choose another one.
        </Notice>
      )}
    </>
  );
}

function nameOf({ name, source, kind }: Provider): string {
  if (kind === 'demo') return 'Demo (scripted answers, no model)';
  return source === 'environment' ? `${safeText(name, 80)} (key from the environment)` : safeText(name, 80);
}

function hintFor({ isError, error, data, isLoading }: ReturnType<typeof useQuery<readonly unknown[]>>): string {
  if (isLoading) return 'Asking the provider which models it has …';
  if (isError) return `Its models could not be listed: ${safeText(messageOf(error), 300)} Type the name of one.`;
  return data ? `${data.length} found. Any other name can be typed.` : 'The name the provider has for it.';
}
