import { deepEquals, type WidgetProps } from '@rjsf/utils';
import { Checkbox, Select } from '../fields.tsx';
import { safeText } from '../safe-text.ts';
import { domId, errorId, hintId } from './dom-ids.ts';

/** One of several values; several of them where the schema wants a list. */
export function ChoiceWidget(props: WidgetProps) {
  const { id, label, value, required, disabled, multiple, schema, rawErrors, options, onChange, onBlur } = props;
  const choices = options.enumOptions ?? [];
  if (multiple) return <SeveralChoices {...props} />;
  const isKind = id.endsWith('__oneof_select') || id.endsWith('__anyof_select');
  const chosen = choices.findIndex((choice) => deepEquals(choice.value, value));
  const described = [schema.description && hintId(id), rawErrors?.length && errorId(id)].filter(Boolean).join(' ');
  return (
    <Select
      id={domId(id)}
      disabled={disabled}
      required={required}
      value={chosen < 0 ? '' : String(chosen)}
      aria-describedby={described === '' ? undefined : described}
      aria-invalid={rawErrors?.length ? true : undefined}
      {...(isKind && { 'aria-label': `Kind of ${safeText(label, 100)}` })}
      onBlur={() => onBlur(id, value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)]?.value)}
    >
      {!isKind && (!required || chosen < 0) && <option value="">{required ? 'Choose …' : 'Left out'}</option>}
      {choices.map((choice, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: choices stay where they are
        <option key={at} value={at}>
          {safeText(choice.label, 200)}
        </option>
      ))}
    </Select>
  );
}

function SeveralChoices({ id, label, value, disabled, options, onChange }: WidgetProps) {
  const choices = options.enumOptions ?? [];
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const has = (wanted: unknown) => chosen.some((one) => deepEquals(one, wanted));
  return (
    // biome-ignore lint/a11y/useSemanticElements: the label of the field names it already
    <div id={domId(id)} role="group" aria-label={safeText(label, 100)} className="flex flex-wrap gap-x-4 gap-y-1.5">
      {choices.map((choice) => (
        <Checkbox
          key={JSON.stringify(choice.value)}
          label={safeText(choice.label, 200)}
          checked={has(choice.value)}
          disabled={disabled ?? false}
          onChange={(checked) => {
            const next = choices.filter((other) => (other === choice ? checked : has(other.value)));
            onChange(next.map((other) => other.value));
          }}
        />
      ))}
    </div>
  );
}
