import { useId } from 'react';
import { classNames } from '../../../components/class-names.ts';
import { safeText } from '../../../components/safe-text.ts';
import type { InstallOption } from './install-draft.ts';

export interface InstallOptionChoiceProps {
  readonly options: readonly InstallOption[];
  readonly selected: number;
  readonly onSelect: (option: number) => void;
}

const maxOptions = 50;

const frame = 'flex items-start gap-2 rounded-md border px-2.5 py-2';

/** Selects an install option: a URL to connect to or a local command to run. A single option is only shown. */
export function InstallOptionChoice({ options, selected, onSelect }: InstallOptionChoiceProps) {
  const id = useId();
  const [only] = options;
  if (options.length === 1 && only) {
    return (
      <section aria-labelledby={id} className="flex flex-col gap-1">
        <h4 id={id} className="font-medium">
          Install option
        </h4>
        <div className={classNames(frame, 'border-line')}>
          <OptionDescription option={only} id={`${id}-only`} />
        </div>
      </section>
    );
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Install option</legend>
      <div className="flex flex-col gap-1.5">
        {options.slice(0, maxOptions).map((option, index) => {
          const optionId = `${id}-${index}`;
          return (
            <label
              // biome-ignore lint/suspicious/noArrayIndexKey: the API identifies an option by its index
              key={index}
              className={classNames(
                frame,
                'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
                selected === index ? 'border-accent bg-accent-soft' : 'border-line-strong/60 hover:bg-sunken',
              )}
            >
              <input
                type="radio"
                name={id}
                className="mt-1 accent-accent outline-none"
                checked={selected === index}
                onChange={() => onSelect(index)}
                aria-labelledby={`${optionId}-kind ${optionId}-label`}
                aria-describedby={`${optionId}-description`}
              />
              <OptionDescription option={option} id={optionId} />
            </label>
          );
        })}
      </div>
      {options.length > maxOptions && (
        <p className="mt-1 text-xs text-ink-faint">
          The first {maxOptions} of {options.length} options are shown.
        </p>
      )}
    </fieldset>
  );
}

const descriptions = {
  address: ['Connect to a URL', 'The gateway sends the values below and the arguments of tool calls to this URL.'],
  program: [
    'Run a local command',
    'The gateway downloads the package and runs it on its machine with its own permissions.',
  ],
} as const;

function OptionDescription({ option: { kind, label }, id }: { readonly option: InstallOption; readonly id: string }) {
  const [title, description] = descriptions[kind];
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <span id={`${id}-kind`} className="font-medium">
        {title}
      </span>
      <code id={`${id}-label`} className="text-xs whitespace-pre-wrap">
        {safeText(label, 2_000)}
      </code>
      <span id={`${id}-description`} className="text-xs text-ink-soft">
        {description}
      </span>
    </span>
  );
}
