import { useEffect, useState } from 'react';
import { isRawNumber, parseExactly, type RawNumber } from '../../../../contract/exact-json.ts';
import { Checkbox, Input, Select, TextArea } from '../fields.tsx';
import { safeText } from '../safe-text.ts';
import { ViewToggle } from '../ViewToggle.tsx';
import { useForm } from './form-context.ts';
import type { FormSchema } from './form-schema.ts';
import { fromLocalTime, toLocalTime } from './form-values.ts';

export interface InputProps {
  readonly schema: FormSchema;
  readonly label: string;
  readonly value: unknown;
  readonly required: boolean;
  readonly onChange: (value: unknown) => void;
  /** The attributes that tie the input to its label, hint and error. */
  readonly attributes: {
    readonly id: string;
    readonly disabled: boolean;
    readonly required?: boolean;
    readonly 'aria-label'?: string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid'?: true;
  };
}

/** The input for one value that is neither an object nor a list. */
export function ValueInput(props: InputProps) {
  const { schema } = props;
  if (schema.enum) return <ChoiceInput {...props} />;
  switch (schema.type) {
    case 'string':
      return <TextInput {...props} />;
    case 'number':
    case 'integer':
      return <NumberInput {...props} />;
    case 'boolean':
      return <BooleanInput {...props} />;
    case 'null':
      return <code className="text-xs">null</code>;
    default:
      return <AnyInput {...props} />;
  }
}

const inputTypes: Readonly<Record<string, { readonly type: string; readonly placeholder?: string }>> = {
  email: { type: 'email' },
  uri: { type: 'url', placeholder: 'https://…' },
  password: { type: 'password' },
  date: { type: 'date' },
  time: { type: 'text', placeholder: '13:45:00Z' },
};

function TextInput({ schema, value, onChange, attributes }: InputProps) {
  const { purpose } = useForm();
  const words = typeof value === 'string' ? value : (toText(value) ?? '');
  // The gateway would replace an omitted answer by its default, so an emptied one is sent as empty text.
  const emptyValue = purpose === 'question' && typeof schema['x-default'] === 'string' ? '' : undefined;
  const shared = {
    ...attributes,
    value: words,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value === '' ? emptyValue : target.value),
  };
  if (schema.format === 'date-time') {
    const local = toLocalTime(words);
    // A text that the browser's date picker cannot show stays editable as text.
    if (words !== '' && local === undefined) return <Input type="text" {...shared} />;
    return (
      <Input
        {...shared}
        type="datetime-local"
        step="1"
        value={local ?? ''}
        onChange={({ target }) => onChange(fromLocalTime(target.value))}
      />
    );
  }
  const input = Object.hasOwn(inputTypes, schema.format ?? '') ? inputTypes[schema.format ?? ''] : undefined;
  if (input) return <Input autoComplete={input.type === 'password' ? 'new-password' : 'off'} {...input} {...shared} />;
  return <TextArea {...shared} rows={1} className="field-sizing-content max-h-80 min-h-9!" />;
}

function NumberInput({ schema, value, onChange, attributes }: InputProps) {
  const [words, setText] = useState(() => toText(value) ?? '');
  useEffect(() => setText((before) => (isSame(toNumber(before), value) ? before : (toText(value) ?? ''))), [value]);
  return (
    <Input
      {...attributes}
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={words}
      onChange={({ target }) => {
        setText(target.value);
        onChange(toNumber(target.value));
      }}
    />
  );
}

function BooleanInput({ label, value, required, onChange, attributes }: InputProps) {
  const { purpose } = useForm();
  const [yes, no] = purpose === 'question' ? ['Yes', 'No'] : ['true', 'false'];
  const views = [
    { id: '', label: 'Not set' },
    { id: 'true', label: yes },
    { id: 'false', label: no },
  ];
  return (
    <div className="flex">
      <ViewToggle
        label={label}
        views={required && value !== undefined ? views.slice(1) : views}
        value={typeof value === 'boolean' ? String(value) : ''}
        onChange={(chosen) => onChange(chosen === '' ? undefined : chosen === 'true')}
        disabled={attributes.disabled}
      />
    </div>
  );
}

function ChoiceInput({ schema, value, required, onChange, attributes }: InputProps) {
  const choices = choicesOf(schema);
  const chosen = choices.findIndex((choice) => isSame(choice.value, value));
  return (
    <Select
      {...attributes}
      value={chosen < 0 ? '' : String(chosen)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)]?.value)}
    >
      {(!required || chosen < 0) && <option value="">{required ? 'Choose …' : 'Not set'}</option>}
      {choices.map(({ label }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: choices never move
        <option key={at} value={at}>
          {label}
        </option>
      ))}
    </Select>
  );
}

/** Checkboxes for a list of choices. */
export function ChoicesInput({ schema, value, onChange, attributes }: Omit<InputProps, 'label' | 'required'>) {
  const choices = choicesOf(schema);
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const isChosen = (wanted: unknown) => chosen.some((one) => isSame(one, wanted));
  return (
    <div className="flex max-h-60 flex-wrap gap-x-4 gap-y-1.5 overflow-y-auto">
      {choices.map((choice, at) => (
        <Checkbox
          // biome-ignore lint/suspicious/noArrayIndexKey: choices never move
          key={at}
          label={choice.label}
          checked={isChosen(choice.value)}
          disabled={attributes.disabled}
          onChange={(checked) => {
            const next = choices.filter((other) => (other === choice ? checked : isChosen(other.value)));
            onChange(next.map((other) => other.value));
          }}
        />
      ))}
    </div>
  );
}

/** Any JSON value: JSON is parsed, any other text is sent as text. */
function AnyInput({ value, onChange, attributes }: InputProps) {
  const [words, setText] = useState(() => toJsonText(value));
  useEffect(() => {
    setText((before) => (isSame(parseText(before), value) ? before : toJsonText(value)));
  }, [value]);
  return (
    <TextArea
      {...attributes}
      rows={1}
      value={words}
      placeholder="JSON; other text is sent as text"
      spellCheck={false}
      className="field-sizing-content max-h-80 min-h-9! font-mono text-xs"
      onChange={({ target }) => {
        setText(target.value);
        onChange(parseText(target.value));
      }}
    />
  );
}

function choicesOf(schema: FormSchema): readonly { readonly value: unknown; readonly label: string }[] {
  const values = schema.enum ?? [];
  return values.map((value, at) => ({ value, label: schema['x-labels']?.[at] ?? safeText(toJsonText(value), 200) }));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Text that is no number stays text, so that the form can report it. */
function toNumber(words: string): number | RawNumber | string | undefined {
  const trimmed = words.trim();
  if (trimmed === '') return undefined;
  const parsed = parseText(trimmed);
  if (isRawNumber(parsed)) return parsed;
  const number = Number(trimmed);
  return Number.isFinite(number) && /^[-+\d.eE]+$/.test(trimmed) ? number : words;
}

function toJsonText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && parseText(value) === value ? value : JSON.stringify(value, null, 2);
}

function parseText(words: string): unknown {
  if (words.trim() === '') return undefined;
  try {
    return parseExactly(words);
  } catch {
    return words;
  }
}
