import { useEffect, useRef } from 'react';
import { Switch, TextField } from '../../components/fields.tsx';
import { RadioCards, type RadioOption } from '../../components/RadioCards.tsx';
import { text } from '../../text/text.ts';
import { AdvancedFields } from './AdvancedFields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { ProgramFields } from './ProgramFields.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';
import { RemoteFields } from './RemoteFields.tsx';
import type { ServerDraft } from './server-draft.ts';

const transports: readonly RadioOption<ServerDraft['transport']>[] = [
  { value: 'auto', title: text.servers.serverFields.automatic, hint: text.servers.serverFields.automaticHint },
  { value: 'http', title: 'HTTP', hint: text.servers.serverFields.streamableHttpCurrentStandard },
  { value: 'sse', title: 'SSE', hint: text.servers.serverFields.olderHttpTransport },
  {
    value: 'stdio',
    title: text.servers.serverFields.localStdio,
    hint: text.servers.serverFields.gatewayStartsLocalCommand,
  },
  { value: 'api', title: 'HTTP API', hint: text.servers.serverFields.endpointsBecomeToolsWithout },
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
          label={text.common.name}
          required
          hint={text.servers.serverFields.usedPrefixTools}
          error={problems.at('name')}
          ref={first}
          autoComplete="off"
          value={draft.name}
          onChange={(content) => onChange({ name: content, isNamed: true })}
        />
        <TextField
          label={text.common.description}
          hint={text.servers.serverFields.shownList}
          error={problems.at('description')}
          autoComplete="off"
          value={draft.description}
          onChange={(content) => onChange({ description: content })}
        />
      </div>
      <RadioCards
        label={text.servers.serverFields.transport}
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
            onChange={(content) => onChange({ [name]: content })}
          />
        ))}
      </div>
      <AdvancedFields {...props} />
      <Switch
        label={text.servers.serverFields.enabled}
        hint={text.servers.serverFields.disabledServerNotConnected}
        checked={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </div>
  );
}

const numbers = [
  {
    name: 'timeout',
    label: text.servers.serverFields.timeoutMilliseconds,
    hint: text.servers.serverFields.perRequest1000300000,
  },
  {
    name: 'retryAttempts',
    label: text.servers.serverFields.retries,
    hint: text.servers.serverFields.afterFailedAttempt0,
  },
] as const;
