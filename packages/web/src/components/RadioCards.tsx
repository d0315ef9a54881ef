import { useId } from 'react';
import { classNames } from './class-names.ts';

export interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly title: string;
  /** A part of the name that is shown as code. */
  readonly code?: string;
  readonly hint: string;
}

export interface RadioCardsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly RadioOption<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** The classes of the grid. */
  readonly className?: string;
}

/** A choice between a few options, each with an explanation. */
export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { label, options, value, onChange, className } = props;
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className={classNames('grid gap-1.5', className)}>
        {options.map((option) => {
          const id = `${name}-${option.value}`;
          return (
            <label
              key={option.value}
              className="flex cursor-pointer items-start gap-2 rounded-md border border-line-strong/60 px-2.5 py-2 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name={name}
                className="mt-1 accent-accent outline-none"
                checked={value === option.value}
                onChange={() => onChange(option.value)}
                aria-labelledby={`${id}-title ${id}-code`}
                aria-describedby={`${id}-hint`}
              />
              <span className="flex min-w-0 flex-col gap-0.5">
                <span id={`${id}-title`} className="font-medium">
                  {option.title}
                </span>
                {option.code !== undefined && (
                  <code id={`${id}-code`} className="text-xs whitespace-pre-wrap">
                    {option.code}
                  </code>
                )}
                <span id={`${id}-hint`} className="text-xs text-ink-soft">
                  {option.hint}
                </span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
