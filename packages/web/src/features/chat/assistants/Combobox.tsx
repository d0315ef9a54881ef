import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { classNames } from '../../../components/class-names.ts';
import { Input } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatNumber } from '../../../text/formats.ts';

export interface ComboboxOption {
  readonly value: string;
  /** A second line, also searched. */
  readonly label: string;
}

export interface ComboboxProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required?: boolean | undefined;
  /** The label of the list of options. */
  readonly listLabel: string;
  readonly value: string;
  readonly placeholder: string;
  readonly options: readonly ComboboxOption[];
  readonly onChange: (text: string) => void;
  /** Called when an option is selected. */
  readonly onPick: (value: string) => void;
  /** Called when Enter is pressed without a selected option. */
  readonly onEnter?: () => void;
}

const maxShown = 50;

/** A text field with suggestions. Other values are allowed. */
export function Combobox({ listLabel, value, options, onChange, onPick, onEnter, ...props }: ComboboxProps) {
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = useMemo(() => findOptions(options, value), [options, value]);
  const shown = found.slice(0, maxShown);
  const isShown = isOpen && shown.length > 0;

  function close(): void {
    setOpen(false);
    setActive(-1);
  }

  function pick(option: ComboboxOption): void {
    onPick(option.value);
    close();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const activeOption = isShown ? shown[active] : undefined;
    if (step !== 0) {
      setOpen(true);
      setActive((current) => (isShown ? (current + step + shown.length) % shown.length : 0));
    } else if (event.key === 'Enter' && activeOption) pick(activeOption);
    else if (event.key === 'Enter' && onEnter) onEnter();
    else if (event.key === 'Escape' && isShown) close();
    else return;
    event.preventDefault();
  }

  return (
    <div className="relative">
      <Input
        {...props}
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setOpen(true);
          setActive(-1);
        }}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {isShown && (
        <div className="absolute inset-x-0 top-full z-20 mt-1 animate-appear rounded-md border border-line bg-raised shadow-xl">
          <div id={listId} role="listbox" aria-label={listLabel} className="max-h-64 overflow-y-auto p-1">
            {shown.map((option, index) => (
              <Option
                key={option.value}
                id={`${listId}-${index}`}
                option={option}
                isActive={index === active}
                onPick={() => pick(option)}
              />
            ))}
          </div>
          {found.length > maxShown && (
            <p className="border-t border-line px-3 py-1.5 text-xs text-ink-faint">
              {`${formatNumber(found.length - maxShown)} more. Type to narrow the list.`}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly option: ComboboxOption;
  readonly isActive: boolean;
  readonly onPick: () => void;
}

function Option({ id, option: { value, label }, isActive, onPick }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
    <div
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      // The text field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={classNames(
        'cursor-pointer rounded px-2 py-1.5 break-words hover:bg-sunken',
        isActive && 'bg-accent-soft text-accent-strong',
      )}
    >
      {safeText(value, 200)}
      {label !== '' && label !== value && (
        <span className="block truncate text-xs text-ink-faint">{safeText(label, 200)}</span>
      )}
    </div>
  );
}

/** The options that contain the text, or all options if the text equals one of them. */
function findOptions(options: readonly ComboboxOption[], text: string): readonly ComboboxOption[] {
  const sought = text.trim().toLowerCase();
  if (sought === '' || options.some(({ value }) => value.toLowerCase() === sought)) return options;
  return options.filter(({ value, label }) => `${value}\n${label}`.toLowerCase().includes(sought));
}
