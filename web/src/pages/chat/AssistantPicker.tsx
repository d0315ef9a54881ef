import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { pluralize } from '../../components/pluralize.ts';
import { safeText } from '../../components/safe-text.ts';
import { formatCount } from './message-text.ts';

export interface AssistantPickerProps {
  readonly assistants: readonly Assistant[];
  /** The id of the selected assistant, which may have been deleted. */
  readonly value: string;
  readonly onChange: (assistant: string) => void;
  readonly disabled?: boolean;
}

const modes = {
  auto: 'runs tools without approval',
  'always-ask': 'asks before every call',
  'trusted-only': 'asks unless a tool is trusted',
} as const;

/** Selects the assistant and shows its model, approval mode and tools. */
export function AssistantPicker({ assistants, value, onChange, disabled = false }: AssistantPickerProps) {
  const selected = assistants.find(({ id }) => id === value);
  return (
    <div className="border-t border-line px-2 py-1.5 text-xs text-ink-faint">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <select
          aria-label="Assistant"
          value={selected ? value : ''}
          disabled={disabled}
          title={disabled ? 'You can change the assistant when this answer has ended' : undefined}
          onChange={(event) => onChange(event.target.value)}
          className="h-7 max-w-52 min-w-0 [field-sizing:content] rounded-md bg-transparent px-1 font-medium text-ink hover:bg-sunken disabled:opacity-60"
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
        {selected && <AssistantSummary assistant={selected} />}
      </div>
      {selected && <Warnings assistant={selected} />}
    </div>
  );
}

function AssistantSummary({ assistant }: { readonly assistant: Assistant }) {
  const { provider, model } = assistant.model;
  const { data: preview } = useQuery(queries.preview(assistant));
  return (
    <>
      {provider === 'demo' ? (
        <Badge tone="info">scripted demo</Badge>
      ) : (
        <span className="max-w-48 truncate" title={safeText(model, 200)}>
          {safeText(model, 100)}
        </span>
      )}
      <span>{modes[assistant.toolApproval]}</span>
      {preview && (
        <Link
          href={`/assistants/${assistant.id}`}
          title="Sent to the model with every message"
          className="rounded underline-offset-2 hover:text-ink hover:underline"
        >
          {pluralize(preview.count, 'tool')}, about {formatCount(preview.estimatedTokens)} tokens
        </Link>
      )}
    </>
  );
}

function Warnings({ assistant }: { readonly assistant: Assistant }) {
  const { data: preview } = useQuery(queries.preview(assistant));
  const warnings = [
    ...(preview?.warning === undefined ? [] : [preview.warning]),
    ...(preview?.missingServers.map(({ id, reason }) => `${id}: ${reason}`) ?? []),
  ];
  return warnings.slice(0, 3).map((warning) => (
    <p key={warning} className="mt-1 flex gap-1.5 px-1 break-words text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      {safeText(warning, 300)}
    </p>
  ));
}
