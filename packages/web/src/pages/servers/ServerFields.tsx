import { useEffect, useRef } from 'react';
import { TextField } from '../../components/fields.tsx';
import { RadioCards, type RadioOption } from '../../components/RadioCards.tsx';
import { SettingFields } from '../../components/settings-form/SettingFields.tsx';
import { fieldsFor } from '../../components/settings-form/setting-values.ts';
import type { FormPartProps } from './form-problems.ts';
import { ProgramFields } from './ProgramFields.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { RemoteFields } from './RemoteFields.tsx';
import { type ServerDraft, settingFields } from './server-draft.ts';

const transports: readonly RadioOption<ServerDraft['transport']>[] = [
  { value: 'auto', title: 'Automatic', hint: 'A URL; tries HTTP, then SSE' },
  { value: 'http', title: 'HTTP', hint: 'Streamable HTTP, the current standard' },
  { value: 'sse', title: 'SSE', hint: 'The older HTTP transport' },
  {
    value: 'stdio',
    title: 'Local (stdio)',
    hint: 'The gateway starts a local command',
  },
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
  const settings = (...keys: readonly string[]) => (
    <SettingFields
      fields={fieldsFor('server', keys)}
      values={draft.settings}
      problemAt={problems.at}
      onChange={(part) => onChange({ settings: { ...draft.settings, ...part } })}
    />
  );
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
          onChange={(content) => onChange({ name: content, isNamed: true })}
        />
        {settings('description')}
      </div>
      <RadioCards
        label="Transport"
        options={transports}
        value={draft.transport}
        onChange={(transport) => onChange({ transport })}
        className="sm:grid-cols-2 sm:*:last:odd:col-span-2"
      />
      {draft.transport === 'stdio' && <ProgramNotice onSignIn={onSignIn} />}
      {draft.transport === 'stdio' ? (
        <>
          <ProgramFields {...props} />
          {settings('cwd')}
        </>
      ) : (
        <RemoteFields {...props} />
      )}
      <div className="grid gap-3 sm:grid-cols-2">{settings('timeout', 'retryAttempts')}</div>
      <AdvancedFields {...props} />
      {settings('enabled')}
    </div>
  );
}

/** The settings that stand in the form itself. */
const mainKeys: readonly string[] = ['description', 'cwd', 'timeout', 'retryAttempts', 'enabled'];

/** Settings that most servers do not need: all others of the contract. */
function AdvancedFields({ draft, problems, onChange }: FormPartProps) {
  const fields = settingFields(draft).filter(({ key }) => !mainKeys.includes(key));
  return (
    // A problem must not be hidden.
    <details open={fields.some(({ key }) => problems.at(key) !== undefined) || undefined}>
      <summary className="cursor-pointer font-medium">Advanced settings</summary>
      <div className="mt-3 grid items-start gap-3 sm:grid-cols-2">
        <SettingFields
          fields={fields}
          values={draft.settings}
          problemAt={problems.at}
          onChange={(part) => onChange({ settings: { ...draft.settings, ...part } })}
        />
      </div>
    </details>
  );
}
