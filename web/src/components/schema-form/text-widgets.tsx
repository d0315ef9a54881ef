import type { WidgetProps } from '@rjsf/utils';
import { Input, TextArea } from '../fields.tsx';
import { domId, errorId, hintId } from './dom-ids.ts';
import { fromLocalTime, toLocalTime } from './local-time.ts';

/** What every input of the form says about itself. An empty text is no value. */
function inputProps({ id, required, disabled, value, schema, rawErrors, onChange, onBlur }: WidgetProps) {
  const described = [schema.description && hintId(id), rawErrors?.length && errorId(id)].filter(Boolean).join(' ');
  return {
    id: domId(id),
    required: required || undefined,
    disabled: disabled || undefined,
    value: typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value),
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': rawErrors?.length ? (true as const) : undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value === '' ? undefined : target.value),
    onBlur: () => onBlur(id, value),
  };
}

/** Text of any length: as high as what is in it. */
export function TextWidget(props: WidgetProps) {
  return <TextArea {...inputProps(props)} rows={1} className="field-sizing-content max-h-80 min-h-9!" />;
}

export function EmailWidget(props: WidgetProps) {
  return <Input type="email" autoComplete="off" {...inputProps(props)} />;
}

export function UriWidget(props: WidgetProps) {
  return <Input type="url" autoComplete="off" placeholder="https://…" {...inputProps(props)} />;
}

export function PasswordWidget(props: WidgetProps) {
  return <Input type="password" autoComplete="new-password" {...inputProps(props)} />;
}

export function DateWidget(props: WidgetProps) {
  return <Input type="date" {...inputProps(props)} />;
}

export function TimeWidget(props: WidgetProps) {
  return <Input type="text" placeholder="13:45:00Z" {...inputProps(props)} />;
}

/** Chosen in the time of this machine, sent as a moment that means the same everywhere. */
export function DateTimeWidget(props: WidgetProps) {
  const given = inputProps(props);
  const local = toLocalTime(given.value);
  // What is no moment that the browser's input could show is not thrown away by looking at it.
  if (given.value !== '' && local === undefined) return <Input type="text" {...given} />;
  return (
    <Input
      {...given}
      type="datetime-local"
      step="1"
      value={local ?? ''}
      onChange={({ target }) => props.onChange(fromLocalTime(target.value))}
    />
  );
}
