import { useEffect, useRef } from 'react';
import type { RegistryServer } from '../../api/client.ts';
import { classNames } from '../../components/class-names.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import { ExpandableText } from '../../components/ExpandableText.tsx';
import { Checkbox, Field, Form, Input, Select } from '../../components/fields.tsx';
import { RadioCards, type RadioOption } from '../../components/RadioCards.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useFirstProblem } from '../../components/use-first-problem.ts';
import { ProgramNotice } from '../../pages/servers/ProgramNotice.tsx';
import { formatNumber } from '../../text/formats.ts';
import { type InstallDraft, type InstallOption, type RegistryInput, readValue, withValue } from './install-draft.ts';
import { type PlanProblems, toPlanProblems } from './plan-problems.ts';
import { RegistryFacts } from './RegistryFacts.tsx';

export interface RegistryServerFormProps {
  readonly server: RegistryServer;
  readonly draft: InstallDraft;
  /** The error of the last attempt to continue. */
  readonly error: unknown;
  readonly mayAddPrograms: boolean;
  readonly onChange: (draft: InstallDraft) => void;
  readonly onSignIn: () => void;
  readonly onSubmit: () => void;
}

const maxOptions = 50;

/** A registry server with its install options and their values. */
export function RegistryServerForm(props: RegistryServerFormProps) {
  const { server, draft, error, mayAddPrograms, onChange, onSignIn, onSubmit } = props;
  const { name, title, status, installOptions, unusable } = server;
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const option = installOptions[draft.optionIndex];
  const inputs = option?.inputs ?? [];
  const problems = toPlanProblems(
    error,
    inputs.map(({ key }) => key),
  );
  // The form replaces the list: the focus announces it.
  useEffect(() => heading.current?.focus(), []);
  useFirstProblem(form, error);

  return (
    <Form ref={form} id="registry-form" autoComplete="off" className="flex flex-col gap-4" onSubmit={() => onSubmit()}>
      <div className="flex flex-col gap-1">
        <h3 ref={heading} tabIndex={-1} className={classNames('break-words outline-none', !title && 'font-mono')}>
          {safeText(title || name, 200)}
        </h3>
        <RegistryFacts server={server} />
      </div>
      {status === 'deprecated' && (
        <Notice tone="warn" title="Deprecated">
          The registry advises against this server. Look for another server.
        </Notice>
      )}
      {installOptions.length === 0 && (
        <Notice tone="warn" title="This server cannot be added">
          {unusable.length === 0
            ? 'The registry lists no URL and no package for it.'
            : 'None of its install options can be used. The reasons are below.'}
        </Notice>
      )}
      {option && (
        <RadioCards
          label="Install option"
          options={installOptions.slice(0, maxOptions).map(toRadioOption)}
          value={String(draft.optionIndex)}
          onChange={(optionIndex) => onChange({ ...draft, optionIndex: Number(optionIndex), acceptsRisks: false })}
        />
      )}
      {installOptions.length > maxOptions && (
        <p className="text-xs text-ink-faint">
          {`The first ${formatNumber(maxOptions)} of ${formatNumber(installOptions.length)} options are shown.`}
        </p>
      )}
      {option?.kind === 'program' && !mayAddPrograms && <ProgramNotice onSignIn={onSignIn} />}
      {option && option.risks.length > 0 && (
        <Notice tone="warn" title="This option changes what runs">
          <ul className="list-disc pl-4">
            {option.risks.map((risk) => (
              <li key={risk} className="break-words">
                {safeText(risk, 2_000)}
              </li>
            ))}
          </ul>
          <Checkbox
            className="mt-2"
            label="I have reviewed these settings and accept them"
            checked={draft.acceptsRisks}
            onChange={(acceptsRisks) => onChange({ ...draft, acceptsRisks })}
          />
        </Notice>
      )}
      {problems.general.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      {inputs.length > 0 && (
        <InstallOptionInputs
          key={draft.optionIndex}
          inputs={inputs}
          draft={draft}
          problems={problems}
          onChange={onChange}
        />
      )}
      <UnusableOptions unusable={unusable} />
    </Form>
  );
}

const kinds = {
  address: {
    title: 'Connect to a URL',
    hint: 'The gateway sends the values below and the arguments of tool calls to this URL.',
  },
  program: {
    title: 'Run a local command',
    hint: 'The gateway downloads the package and runs it on its machine with its own permissions.',
  },
} as const;

function toRadioOption({ kind, label }: InstallOption, at: number): RadioOption<string> {
  return { value: String(at), code: safeText(label, 2_000), ...kinds[kind] };
}

const maxUnusable = 50;

/** The install options that cannot be used, with the reasons. */
function UnusableOptions({ unusable }: Pick<RegistryServer, 'unusable'>) {
  if (unusable.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h4 className="font-medium">Unavailable options</h4>
      <ul className="flex flex-col gap-1 text-xs text-ink-soft">
        {unusable.slice(0, maxUnusable).map(({ what, reason }) => (
          <li key={`${what} ${reason}`} className="break-words">
            {what !== '' && (
              <>
                <code>{safeText(what, 500)}</code>:{' '}
              </>
            )}
            {safeText(reason, 500)}
          </li>
        ))}
      </ul>
      {unusable.length > maxUnusable && (
        <p className="text-xs text-ink-faint">
          {`The first ${formatNumber(maxUnusable)} of ${formatNumber(unusable.length)} are shown.`}
        </p>
      )}
    </section>
  );
}

interface InstallOptionInputsProps {
  readonly inputs: readonly RegistryInput[];
  readonly draft: InstallDraft;
  readonly problems: PlanProblems;
  readonly onChange: (draft: InstallDraft) => void;
}

// Further values can be set in the form that follows.
const maxInputs = 100;

/** The values that the selected install option needs. */
function InstallOptionInputs({ inputs, draft, problems, onChange }: InstallOptionInputsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Values</legend>
      {inputs.slice(0, maxInputs).map((input) => {
        const { key, description, isRequired } = input;
        return (
          <Field
            key={key}
            label={safeText(key, 100)}
            required={isRequired}
            error={problems.at(key)}
            hint={description ? <ExpandableText text={description} /> : undefined}
          >
            {(field) => (
              <InstallOptionInput
                {...field}
                input={input}
                value={readValue(draft, input)}
                onChange={(value) => onChange(withValue(draft, key, value))}
              />
            )}
          </Field>
        );
      })}
      {inputs.length > maxInputs && (
        <p className="text-xs text-ink-faint">
          {`The first ${formatNumber(maxInputs)} of ${formatNumber(inputs.length)} values are shown.`}
        </p>
      )}
    </fieldset>
  );
}

interface InstallOptionInputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required: boolean | undefined;
  readonly input: RegistryInput;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function InstallOptionInput({ input, value, onChange, ...field }: InstallOptionInputProps) {
  const { key, choices, isSecret, placeholder, default: defaultValue } = input;
  if (choices) {
    return (
      <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
        {(value === '' || (!field.required && defaultValue === undefined)) && <option value="">Not set</option>}
        {[...new Set(choices)].map((choice) => (
          <option key={choice} value={choice}>
            {safeText(choice, 200)}
          </option>
        ))}
      </Select>
    );
  }
  const example = safeText(placeholder ?? (isSecret ? '' : defaultValue), 200);
  if (isSecret) {
    return (
      <SecretInput
        {...field}
        noun={safeText(key, 100)}
        placeholder={example}
        value={value}
        onChange={(next) => onChange(typeof next === 'string' ? next : '')}
      />
    );
  }
  return (
    <Input
      {...field}
      className="font-mono"
      placeholder={example}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
