import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Assistant, ModelChoice } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { safeText } from '../../components/safe-text.ts';
import { isChatModel } from './models/choose-model.ts';
import { chatQueries } from './queries.ts';

export interface ModelPickerProps {
  readonly assistant: Assistant;
  readonly assistants: readonly Assistant[];
  /** The model of the conversation, if it is not the assistant's. */
  readonly value: ModelChoice | undefined;
  /** `null`: the assistant's model. */
  readonly onChange: (model: ModelChoice | null) => void;
  readonly disabled: boolean;
}

/** Selects the model that answers: one of an assistant, or, for administrators, any model of the providers. */
export function ModelPicker({ assistant, assistants, value, onChange, disabled }: ModelPickerProps) {
  const isAdmin = useIsAdmin();
  // The lists come from the providers: requested only when somebody is about to choose.
  const [wantsLists, setWantsLists] = useState(false);
  const providers = useQuery(chatQueries.providers()).data ?? [];
  const listed = useQueries({
    queries: providers
      .filter(({ kind }) => kind !== 'demo')
      .map(({ id }) => ({ ...chatQueries.models(id), enabled: wantsLists && isAdmin, retry: false })),
    combine: (results) => results.map(({ data }) => data?.filter(isChatModel) ?? []),
  });
  const selected = value ?? assistant.model;
  const choices = new Map<string, ModelChoice>();
  const known = new Set(providers.map(({ id }) => id));
  for (const model of [selected, ...assistants.map((one) => one.model).filter(({ provider }) => known.has(provider))])
    choices.set(keyOf(model), model);
  for (const [index, { id }] of providers.filter(({ kind }) => kind !== 'demo').entries())
    for (const model of listed[index] ?? [])
      choices.set(keyOf({ provider: id, model: model.id }), { provider: id, model: model.id });
  const groups = Map.groupBy(choices.values(), ({ provider }) => provider);

  return (
    <select
      aria-label="Model"
      value={keyOf(selected)}
      disabled={disabled}
      title={disabled ? 'You can change the model when this answer has ended' : undefined}
      onPointerEnter={() => setWantsLists(true)}
      onFocus={() => setWantsLists(true)}
      onChange={(event) => {
        const model = choices.get(event.target.value);
        if (model) onChange(keyOf(model) === keyOf(assistant.model) ? null : model);
      }}
      className="-ml-1 h-7 max-w-56 min-w-0 [field-sizing:content] rounded-md bg-transparent px-1 text-ink-soft hover:bg-sunken disabled:opacity-60"
    >
      {[...groups].map(([provider, models]) => (
        <optgroup
          key={provider}
          label={safeText(providers.find(({ id }) => id === provider)?.name ?? 'Deleted provider', 60)}
        >
          {models.map((model) => (
            <option key={model.model} value={keyOf(model)}>
              {provider === 'demo' ? 'scripted demo' : safeText(model.model, 100)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

const keyOf = ({ provider, model }: ModelChoice) => `${provider}/${model}`;
