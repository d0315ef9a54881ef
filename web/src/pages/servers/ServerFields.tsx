import { useEffect, useId, useRef } from 'react';
import { classNames } from '../../components/class-names.ts';
import { Field, Input, Switch } from '../../components/fields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { ProgramFields } from './ProgramFields.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { RemoteFields } from './RemoteFields.tsx';
import type { ServerDraft } from './server-draft.ts';

export interface ServerFieldsProps extends FormPartProps {
  readonly onSignIn: () => void;
}

/** The fields of a server. */
export function ServerFields({ onSignIn, ...props }: ServerFieldsProps) {
  const { draft, problems, onChange } = props;
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Name" required hint="Used as a prefix for its tools." error={problems.at('name')}>
          {(field) => (
            <Input
              {...field}
              ref={first}
              autoComplete="off"
              value={draft.name}
              onChange={(event) => onChange({ name: event.target.value, isNamed: true })}
            />
          )}
        </Field>
        <Field label="Description" hint="Shown in the list." error={problems.at('description')}>
          {(field) => (
            <Input
              {...field}
              autoComplete="off"
              value={draft.description}
              onChange={(event) => onChange({ description: event.target.value })}
            />
          )}
        </Field>
      </div>
      <TransportChoice value={draft.transport} onChange={(transport) => onChange({ transport })} />
      {draft.transport === 'stdio' && <ProgramNotice onSignIn={onSignIn} />}
      {draft.transport === 'stdio' ? <ProgramFields {...props} /> : <RemoteFields {...props} />}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Timeout in milliseconds" hint="Per request, 1000 to 300000." error={problems.at('timeout')}>
          {(field) => (
            <Input
              {...field}
              inputMode="numeric"
              value={draft.timeout}
              onChange={(event) => onChange({ timeout: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Retries at start"
          hint="For required servers, 0 to 5. Later retries are automatic."
          error={problems.at('retryAttempts')}
        >
          {(field) => (
            <Input
              {...field}
              inputMode="numeric"
              value={draft.retryAttempts}
              onChange={(event) => onChange({ retryAttempts: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Switch
        label="Enabled"
        hint="A disabled server is not connected."
        checked={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </div>
  );
}

interface TransportChoiceProps {
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
function TransportChoice({ value, onChange }: TransportChoiceProps) {
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
