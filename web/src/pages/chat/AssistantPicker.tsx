import { useQuery } from '@tanstack/react-query';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { ScrollBox } from '../../components/ScrollBox.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { formatCount } from './message-text.ts';

export interface AssistantPickerProps {
  readonly assistants: readonly Assistant[];
  /** The id of the selected assistant, which may have been deleted. */
  readonly value: string;
  readonly onChange: (assistant: string) => void;
  readonly disabled?: boolean;
}

/** Selects the assistant and shows its model, approval mode and tools. */
export function AssistantPicker({ assistants, value, onChange, disabled = false }: AssistantPickerProps) {
  const selected = assistants.find(({ id }) => id === value);
  return (
    <div className="border-t border-line px-4 py-1.5 text-xs text-ink-faint">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <select
          aria-label={text.chat.picker.label}
          value={selected ? value : ''}
          disabled={disabled}
          title={disabled ? text.chat.picker.disabled : undefined}
          onChange={(event) => onChange(event.target.value)}
          className="-ml-2 h-7 max-w-52 min-w-0 [field-sizing:content] rounded-md bg-transparent px-1 font-medium text-ink hover:bg-sunken disabled:opacity-60"
        >
          {!selected && (
            <option value="" disabled>
              {text.chat.picker.choose}
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
        <Badge tone="info">{text.chat.demo.badge}</Badge>
      ) : (
        <span className="max-w-48 truncate" title={safeText(model, 200)}>
          {safeText(model, 100)}
        </span>
      )}
      <span>{text.chat.picker.modes[assistant.toolApproval]}</span>
      {preview && (
        <Link
          href={`/assistants/${assistant.id}`}
          title={text.chat.picker.perRequest}
          className="rounded underline-offset-2 hover:text-ink hover:underline"
        >
          {text.chat.picker.tools(preview.count, formatCount(preview.estimatedTokens))}
        </Link>
      )}
    </>
  );
}

function Warnings({ assistant }: { readonly assistant: Assistant }) {
  const { data: preview } = useQuery(queries.preview(assistant));
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
  const title = text.chat.picker.unavailable(servers.length);
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
