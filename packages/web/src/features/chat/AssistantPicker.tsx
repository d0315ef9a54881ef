import { useQueries, useQuery } from '@tanstack/react-query';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Assistant, ModelChoice } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { formatCount } from './message-text.ts';
import { isChatModel } from './models/choose-model.ts';
import { chatQueries } from './queries.ts';

const modesTexts = {
  auto: 'runs tools without approval',
  'always-ask': 'asks before every call',
  'trusted-only': 'asks unless a tool is trusted',
};

export interface AssistantPickerProps {
  readonly assistants: readonly Assistant[];
  /** The id of the selected assistant, which may have been deleted. */
  readonly value: string;
  readonly onChange: (assistant: string) => void;
  /** The model of the conversation, if it is not the assistant's. */
  readonly model: ModelChoice | undefined;
  /** `null`: the assistant's model. */
  readonly onModelChange: (model: ModelChoice | null) => void;
  readonly disabled?: boolean;
}

/** Selects the assistant and the model, and shows the approval mode and the tools. */
export function AssistantPicker(props: AssistantPickerProps) {
  const { assistants, value, onChange, disabled = false } = props;
  const selected = assistants.find(({ id }) => id === value);
  return (
    <div className="border-t border-line px-4 py-1.5 text-xs text-ink-faint">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <select
          aria-label="Assistant"
          value={selected ? value : ''}
          disabled={disabled}
          title={disabled ? 'You can change the assistant when this answer has ended' : undefined}
          onChange={(event) => onChange(event.target.value)}
          className="-ml-2 h-7 max-w-52 min-w-0 [field-sizing:content] rounded-md bg-transparent px-1 font-medium text-ink hover:bg-sunken disabled:opacity-60"
        >
          {!selected && (
            <option value="" disabled>
              Choose an assistant
            </option>
          )}
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {safeText(name, 60)}
            </option>
          ))}
        </select>
        {selected && <ModelPicker {...props} assistant={selected} />}
        {selected && <AssistantSummary assistant={selected} />}
      </div>
      {selected && <Warnings assistant={selected} />}
    </div>
  );
}

function AssistantSummary({ assistant }: { readonly assistant: Assistant }) {
  const { data: preview } = useQuery(chatQueries.preview(assistant));
  return (
    <>
      <span>{modesTexts[assistant.toolApproval]}</span>
      {preview && (
        <Link
          href={`/assistants/${assistant.id}`}
          title="Sent to the model with every message"
          className="rounded underline-offset-2 hover:text-ink hover:underline"
        >
          {`${plural(preview.count, 'tool')}, about ${formatCount(preview.estimatedTokens)} tokens`}
        </Link>
      )}
    </>
  );
}

function Warnings({ assistant }: { readonly assistant: Assistant }) {
  const { data: preview } = useQuery(chatQueries.preview(assistant));
  return (
    <>
      {preview?.warning !== undefined && (
        <p className="mt-1 flex gap-1.5 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          <span className="min-w-0 break-words">{safeText(preview.warning, 300)}</span>
        </p>
      )}
      {preview && preview.missingServers.length > 0 && <UnavailableServers servers={preview.missingServers} />}
    </>
  );
}

/** How many servers of the assistant are unavailable, in one line; their names and the reasons on demand. */
function UnavailableServers({
  servers,
}: {
  readonly servers: readonly { readonly id: string; readonly reason: string }[];
}) {
  const title = `${plural(servers.length, 'server')} unavailable`;
  return (
    <details className="group mt-1">
      <summary className="flex min-h-6 w-fit cursor-pointer list-none items-center gap-1.5 rounded text-warn underline-offset-2 hover:underline">
        <TriangleAlert aria-hidden className="size-3 shrink-0" />
        {title}
        <ChevronDown aria-hidden className="size-3 shrink-0 group-open:rotate-180" />
      </summary>
      <ScrollBox label={title} className="mt-1 max-h-32 rounded">
        <ul className="flex flex-col gap-1 pl-4.5">
          {servers.map(({ id, reason }) => (
            <li key={id} className="break-words">
              <span className="font-medium text-ink-soft">{safeText(id, 100)}</span>: {safeText(reason, 300)}
            </li>
          ))}
        </ul>
      </ScrollBox>
    </details>
  );
}

interface ModelPickerProps extends Pick<AssistantPickerProps, 'assistants' | 'model' | 'onModelChange' | 'disabled'> {
  readonly assistant: Assistant;
}

/** Selects the model that answers: one of an assistant, or, for administrators, any model of the providers. */
function ModelPicker({ assistant, assistants, model, onModelChange, disabled = false }: ModelPickerProps) {
  const mayChooseAny = useMay('providers.write');
  // The lists come from the providers: requested only when somebody is about to choose.
  const [wantsLists, setWantsLists] = useState(false);
  const providers = useQuery(chatQueries.providers()).data ?? [];
  const listed = useQueries({
    queries: providers
      .filter(({ kind }) => kind !== 'demo')
      .map(({ id }) => ({ ...chatQueries.models(id), enabled: wantsLists && mayChooseAny, retry: false })),
    combine: (results) => results.map(({ data }) => data?.filter(isChatModel) ?? []),
  });
  const selected = model ?? assistant.model;
  const choices = new Map<string, ModelChoice>();
  const known = new Set(providers.map(({ id }) => id));
  for (const choice of [selected, ...assistants.map((one) => one.model).filter(({ provider }) => known.has(provider))])
    choices.set(keyOf(choice), choice);
  for (const [index, { id }] of providers.filter(({ kind }) => kind !== 'demo').entries())
    for (const { id: name } of listed[index] ?? [])
      choices.set(keyOf({ provider: id, model: name }), { provider: id, model: name });
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
        const choice = choices.get(event.target.value);
        if (choice) onModelChange(keyOf(choice) === keyOf(assistant.model) ? null : choice);
      }}
      className="-ml-1 h-7 max-w-56 min-w-0 [field-sizing:content] rounded-md bg-transparent px-1 text-ink-soft hover:bg-sunken disabled:opacity-60"
    >
      {[...groups].map(([provider, models]) => (
        <optgroup
          key={provider}
          label={safeText(providers.find(({ id }) => id === provider)?.name ?? 'Deleted provider', 60)}
        >
          {models.map((choice) => (
            <option key={choice.model} value={keyOf(choice)}>
              {provider === 'demo' ? 'scripted demo' : safeText(choice.model, 100)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

const keyOf = ({ provider, model }: ModelChoice) => `${provider}/${model}`;
