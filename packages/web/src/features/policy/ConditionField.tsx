import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '../../components/class-names.ts';
import { Field, TextArea } from '../../components/fields.tsx';
import { completionsAt, type Variable } from './completions.ts';

export interface ConditionFieldProps {
  readonly value: string;
  readonly onChange: (condition: string) => void;
  readonly variables: readonly Variable[];
  readonly error?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/** A text area for a condition that completes variables: arrow keys choose, Enter or Tab inserts, Escape closes the list. */
export function ConditionField({ value, onChange, variables, error, required, disabled }: ConditionFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const nextCaret = useRef<number>(undefined);
  const [caret, setCaret] = useState<number>();
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const completions = caret === undefined ? [] : completionsAt(value, caret, variables);
  const active = Math.min(chosen, completions.length - 1);

  // React puts the caret at the end of a text that was not typed.
  useLayoutEffect(() => {
    if (nextCaret.current === undefined) return;
    area.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = undefined;
  });

  function insert(index: number): void {
    const completion = completions[index];
    if (!completion) return;
    nextCaret.current = completion.caret;
    setCaret(undefined);
    area.current?.focus();
    onChange(completion.text);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (completions.length === 0) return;
    const { key } = event;
    if (key === 'ArrowDown') setChosen((active + 1) % completions.length);
    else if (key === 'ArrowUp') setChosen((active + completions.length - 1) % completions.length);
    else if (key === 'Enter' || key === 'Tab') insert(active);
    else if (key === 'Escape') setCaret(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Field
      label="Condition"
      required={required}
      error={error}
      hint="In CEL, such as call.server == 'mail'. Type the beginning of a variable to complete it."
    >
      {(field) => (
        <div className="relative">
          <TextArea
            {...field}
            ref={area}
            rows={4}
            value={value}
            disabled={disabled}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            className="font-mono text-xs"
            aria-autocomplete="list"
            aria-controls={completions.length > 0 ? listId : undefined}
            aria-activedescendant={completions.length > 0 ? `${listId}-${active}` : undefined}
            onChange={(event) => {
              onChange(event.target.value);
              setCaret(event.target.selectionStart);
              setChosen(0);
            }}
            onClick={() => setCaret(undefined)}
            onBlur={() => setCaret(undefined)}
            onKeyDown={onKeyDown}
          />
          {completions.length > 0 && (
            <div
              id={listId}
              role="listbox"
              aria-label="Variables"
              className="absolute inset-x-0 top-full z-20 mt-1 rounded-md border border-line-strong bg-surface py-1 shadow-lg"
            >
              {completions.map(({ variable: { name, type, parameters, description } }, index) => (
                <div
                  key={name}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  className={classNames('cursor-pointer px-3 py-1 text-xs', index === active && 'bg-sunken')}
                  // The text area keeps the focus.
                  onMouseDown={(event) => {
                    event.preventDefault();
                    insert(index);
                  }}
                >
                  <span className="font-mono">
                    {name}
                    {parameters && `(${parameters.join(', ')})`}
                  </span>{' '}
                  <span className="text-ink-faint">
                    {type} · {description.replaceAll('`', '')}
                  </span>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </Field>
  );
}
