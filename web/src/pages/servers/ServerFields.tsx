import { useEffect, useRef } from 'react';
import { RadioCards, type RadioOption, Switch, TextField } from '../../components/fields.tsx';
import { AdvancedFields } from './AdvancedFields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { ProgramFields } from './ProgramFields.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { RemoteFields } from './RemoteFields.tsx';
import type { ServerDraft } from './server-draft.ts';

const transports: readonly RadioOption<ServerDraft['transport']>[] = [
  { value: 'auto', title: 'Automatic', hint: 'A URL; tries HTTP, then SSE' },
  { value: 'http', title: 'HTTP', hint: 'Streamable HTTP, the current standard' },
  { value: 'sse', title: 'SSE', hint: 'The older HTTP transport' },
  { value: 'stdio', title: 'Local (stdio)', hint: 'The gateway starts a local command' },
  { value: 'api', title: 'HTTP API', hint: 'Endpoints become tools, without an MCP server' },
];

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
        <TextField
          label="Name"
          required
          hint="Used as a prefix for its tools."
          error={problems.at('name')}
          ref={first}
          autoComplete="off"
          value={draft.name}
          onChange={(text) => onChange({ name: text, isNamed: true })}
        />
        <TextField
          label="Description"
          hint="Shown in the list."
          error={problems.at('description')}
          autoComplete="off"
          value={draft.description}
          onChange={(text) => onChange({ description: text })}
        />
      </div>
      <RadioCards
        label="Transport"
        options={transports}
        value={draft.transport}
        onChange={(transport) => onChange({ transport })}
        className="sm:grid-cols-2 sm:*:last:odd:col-span-2"
      />
      {draft.transport === 'stdio' && <ProgramNotice onSignIn={onSignIn} />}
      {draft.transport === 'stdio' ? <ProgramFields {...props} /> : <RemoteFields {...props} />}
      <div className="grid gap-3 sm:grid-cols-2">
        {numbers.map(({ name, label, hint }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            error={problems.at(name)}
            inputMode="numeric"
            value={draft[name]}
            onChange={(text) => onChange({ [name]: text })}
          />
        ))}
      </div>
      <AdvancedFields {...props} />
      <Switch
        label="Enabled"
        hint="A disabled server is not connected."
        checked={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </div>
  );
}

const numbers = [
  {
    name: 'timeout',
    label: 'Timeout in milliseconds',
    hint: 'Per request, 1000 to 300000. Default: 30000.',
  },
  {
    name: 'retryAttempts',
    label: 'Retries',
    hint: 'After a failed attempt, 0 to 5. Then once an hour. Default: 3.',
  },
] as const;
