import { useId } from 'react';
import { classNames } from '../../components/class-names.ts';
import type { ServerDraft } from './server-draft.ts';

export interface TransportChoiceProps {
  readonly value: ServerDraft['transport'];
  readonly onChange: (transport: ServerDraft['transport']) => void;
}

const choices = [
  ['auto', 'Automatic', 'A URL; tries HTTP, then SSE'],
  ['http', 'HTTP', 'Streamable HTTP, the current standard'],
  ['sse', 'SSE', 'The older HTTP transport'],
  ['stdio', 'Local (stdio)', 'The gateway starts a local command'],
  ['api', 'HTTP API', 'Endpoints become tools, without an MCP server'],
] as const;

/** Selects the transport. */
export function TransportChoice({ value, onChange }: TransportChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Transport</legend>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {choices.map(([transport, label, hint]) => (
          <label
            key={transport}
            className={classNames(
              'flex cursor-pointer items-start sm:last:odd:col-span-2 gap-2 rounded-md border px-2.5 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              value === transport ? 'border-accent bg-accent-soft' : 'border-line-strong/60 hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name={name}
              className="mt-1 accent-accent outline-none"
              checked={value === transport}
              onChange={() => onChange(transport)}
              aria-describedby={`${name}-${transport}`}
              aria-label={label}
            />
            <span className="min-w-0">
              <span className="block font-medium">{label}</span>
              <span id={`${name}-${transport}`} className="block text-xs text-ink-soft">
                {hint}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
