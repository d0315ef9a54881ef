import { type FieldProps, RJSF_REF_CYCLE_KEY, type WidgetProps } from '@rjsf/utils';
import { type ComponentType, useEffect, useState } from 'react';
import { ViewToggle } from '../content/ViewToggle.tsx';
import { Input, TextArea } from '../fields.tsx';
import { safeText } from '../safe-text.ts';
import { ChoiceWidget } from './ChoiceWidget.tsx';
import { domId, errorId, hintId } from './dom-ids.ts';
import { FieldLabel } from './FieldLabel.tsx';

/** True, false, or not said at all. */
export function BooleanField(props: FieldProps) {
  const { fieldPathId, formData, name, required = false, disabled, schema, title, onChange } = props;
  const label = schema.title ?? title ?? name;
  const views = [
    ...(required && formData !== undefined ? [] : [{ id: '', label: 'Left out' }]),
    { id: 'true', label: 'true' },
    { id: 'false', label: 'false' },
  ];
  const set = (chosen: string) => onChange(chosen === '' ? undefined : chosen === 'true', fieldPathId.path);
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      {schema['x-option' as never] === undefined && (
        <FieldLabel label={label} name={fieldPathId.path.at(-1) ?? ''} required={required} schema={schema as never} />
      )}
      <ViewToggle
        label={safeText(label, 100)}
        views={views}
        value={typeof formData === 'boolean' ? String(formData) : ''}
        onChange={set}
        disabled={disabled ?? false}
      />
      {schema.description && (
        <p className="max-w-prose text-xs whitespace-pre-wrap text-ink-faint">{schema.description}</p>
      )}
    </div>
  );
}

/** A number as it is typed. What is no number yet stays as it is, and is told to be none. */
export function NumberField(props: FieldProps) {
  const { fieldPathId, formData, required, disabled, schema, rawErrors, onChange, onBlur, registry } = props;
  const id = fieldPathId.$id;
  const [text, setText] = useState(() => textOf(formData));
  useEffect(() => setText((before) => (toNumber(before) === formData ? before : textOf(formData))), [formData]);
  if (schema.enum) {
    const StringField = registry.fields.StringField as ComponentType<FieldProps>;
    return <StringField {...props} />;
  }
  const described = [schema.description && hintId(id), rawErrors?.length && errorId(id)].filter(Boolean).join(' ');
  return (
    <Input
      id={domId(id)}
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      required={required}
      disabled={disabled}
      value={text}
      aria-describedby={described === '' ? undefined : described}
      aria-invalid={rawErrors?.length ? true : undefined}
      onBlur={() => onBlur(id, formData)}
      onChange={({ target }) => {
        setText(target.value);
        onChange(toNumber(target.value) as never, fieldPathId.path);
      }}
    />
  );
}

/** Any JSON value: text that is JSON is taken as such, other text as text. */
export function AnyField(props: FieldProps) {
  const { fieldPathId, formData, name, disabled, schema, required, onChange, onBlur } = props;
  const id = fieldPathId.$id;
  const [text, setText] = useState(() => jsonOf(formData));
  useEffect(() => {
    setText((before) => (JSON.stringify(fromText(before)) === JSON.stringify(formData) ? before : jsonOf(formData)));
  }, [formData]);
  if (schema.enum) {
    const enumOptions = schema.enum.map((value) => ({ value, label: jsonOf(value) }));
    const choice = { ...props, id, label: name, value: formData, options: { enumOptions } } as unknown as WidgetProps;
    return <ChoiceWidget {...choice} onChange={(value) => onChange(value, fieldPathId.path)} />;
  }
  return (
    <TextArea
      id={domId(id)}
      rows={1}
      required={required}
      disabled={disabled}
      value={text}
      placeholder="JSON; other text is sent as text"
      spellCheck={false}
      aria-describedby={schema.description ? hintId(id) : undefined}
      className="field-sizing-content max-h-80 min-h-9! font-mono text-xs"
      onBlur={() => onBlur(id, formData)}
      onChange={({ target }) => {
        setText(target.value);
        onChange(fromText(target.value) as never, fieldPathId.path);
      }}
    />
  );
}

/** Nothing to fill in: the value is null once this is chosen. */
export function NullField() {
  return <code className="text-xs">null</code>;
}

/** Where a schema leads back into itself. How far to follow it is decided around each field, so here nothing is. */
export function CyclicField(props: FieldProps) {
  const SchemaField = props.registry.fields.SchemaField as ComponentType<FieldProps>;
  return <SchemaField {...props} schema={{ ...props.schema, [RJSF_REF_CYCLE_KEY]: false }} />;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) && /^[-+\d.eE]+$/.test(trimmed) ? number : text;
}

function jsonOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && fromText(value) === value ? value : JSON.stringify(value, null, 2);
}

function fromText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
