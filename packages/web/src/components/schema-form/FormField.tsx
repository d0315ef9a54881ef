import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../Button.tsx';
import { Select } from '../fields.tsx';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import {
  FieldError,
  FieldGroup,
  FieldHint,
  FieldKind,
  FieldLabel,
  type FieldProps,
  NullButton,
} from './FieldParts.tsx';
import { matchOption } from './find-problems.ts';
import { useFieldIds, useForm } from './form-context.ts';
import { type FormSchema, resolveReference } from './form-schema.ts';
import { initialValue } from './form-values.ts';
import { ChoicesInput, ValueInput } from './inputs.tsx';
import { ListField } from './ListField.tsx';
import { ObjectField } from './ObjectField.tsx';

// Below this level, an object without a value is added by a click: a schema may contain itself.
const maxOpenLevels = 6;

/** The field for one value of a form, whatever its schema. */
export function FormField(props: FieldProps) {
  const { root, purpose } = useForm();
  const schema = resolveReference(props.schema, root);
  const field: FieldProps = { ...props, schema };
  const { value, required, path, isOption } = field;
  if (value === null && schema['x-nullable'] && schema.type !== 'null') return <NullValue field={field} />;
  if (required && !isOption && schema.const !== undefined && value === schema.const) return <Constant field={field} />;
  const isCollapsible = !isOption && path.length > 0 && (!required || path.length > maxOpenLevels);
  if (value === undefined && isCollapsible && isComposite(schema)) return <MissingValue field={field} />;
  if (schema.anyOf ?? schema.oneOf) return <Union field={field} />;
  if (schema.type === 'object') return <ObjectField field={field} renderField={renderField} />;
  if (schema.type === 'array') {
    const items = isRecord(schema.items) ? resolveReference(schema.items, root) : undefined;
    const isChoice = items?.enum !== undefined && (schema.uniqueItems === true || purpose === 'question');
    return isChoice ? <Choices field={field} choices={items} /> : <ListField field={field} renderField={renderField} />;
  }
  return <SingleValue field={field} />;
}

function renderField(field: FieldProps): ReactNode {
  return <FormField {...field} />;
}

function isComposite({ type, anyOf, oneOf }: FormSchema): boolean {
  const options = anyOf ?? oneOf ?? [];
  return (
    type === 'object' ||
    options.some((option) => isComposite(option) || option.$ref !== undefined || option.type === 'array')
  );
}

function useAttributes(field: FieldProps) {
  const { disabled } = useForm();
  const { id, hintId, errorId, error } = useFieldIds(field.path);
  const described = [
    field.schema.description !== undefined && !field.isOption && hintId,
    error !== undefined && errorId,
  ];
  return {
    id,
    disabled,
    required: field.required || undefined,
    'aria-label': field.isOption ? field.label : undefined,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : (true as const),
  };
}

function SingleValue({ field }: { readonly field: FieldProps }) {
  const attributes = useAttributes(field);
  const { schema, label, value, required, onChange, isOption } = field;
  const input = <ValueInput {...{ schema, label, value, required, onChange, attributes }} />;
  const fallback = schema['x-default'] ?? undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {!isOption && (
        <div className="flex flex-wrap items-baseline gap-x-2">
          <FieldLabel field={field} htmlFor={schema.type === 'boolean' ? undefined : attributes.id} />
          {schema.type !== 'boolean' && <FieldKind schema={schema} />}
          <NullButton field={field} />
        </div>
      )}
      {input}
      {!isOption && <FieldHint field={field} />}
      {value === undefined && fallback !== undefined && !required && (
        <p className="text-xs text-ink-faint">
          Default: <code>{safeText(JSON.stringify(fallback), 100)}</code>
        </p>
      )}
      <FieldError field={field} />
    </div>
  );
}

function Choices({ field, choices }: { readonly field: FieldProps; readonly choices: FormSchema }) {
  const attributes = useAttributes(field);
  return (
    <FieldGroup field={field}>
      <ChoicesInput schema={choices} value={field.value} onChange={field.onChange} attributes={attributes} />
    </FieldGroup>
  );
}

/** A choice between types of value, and the fields of the chosen one. */
function Union({ field }: { readonly field: FieldProps }) {
  const { root, disabled } = useForm();
  const { schema, path, label, value, onChange } = field;
  const options = schema.anyOf ?? schema.oneOf ?? [];
  const [chosen, setChosen] = useState<number>();
  const [matched] = useState(() => matchOption(options, value, root));
  const index = chosen ?? matched;
  const option: FormSchema = options[index] ?? {};
  const isObject = schema.type === 'object';

  function choose(next: number): void {
    setChosen(next);
    const first = options[next] && initialValue(options[next], root);
    if (!isObject) {
      onChange(first);
      return;
    }
    const shared = Object.entries(isRecord(value) ? value : {}).filter(([name]) =>
      Object.hasOwn(schema.properties ?? {}, name),
    );
    onChange({ ...(isRecord(first) && first), ...Object.fromEntries(shared) });
  }

  const { anyOf: _anyOf, oneOf: _oneOf, ...base } = schema;
  const optionField = (
    <FormField
      key={index}
      schema={{ ...option, title: undefined }}
      path={path}
      label={label}
      required={field.required}
      value={value}
      onChange={onChange}
      isOption
    />
  );
  const choice = (
    <div className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3">
      <Select
        aria-label={`Type of ${label}`}
        disabled={disabled}
        value={index}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {options.map(({ title }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: options never move
          <option key={at} value={at}>
            {safeText(title, 200)}
          </option>
        ))}
      </Select>
      {isObject ? <OptionMembers option={option} field={field} /> : optionField}
    </div>
  );
  if (!isObject) return <FieldGroup field={field}>{choice}</FieldGroup>;
  const optionNames = Object.keys(resolveReference(option, root).properties ?? {});
  return (
    <ObjectField field={{ ...field, schema: base }} renderField={renderField} optionNames={optionNames}>
      {choice}
    </ObjectField>
  );
}

/** The members that an option adds to the object it belongs to. */
function OptionMembers({ option, field }: { readonly option: FormSchema; readonly field: FieldProps }) {
  const { root } = useForm();
  const { properties = {}, required = [] } = resolveReference(option, root);
  const value = isRecord(field.value) ? field.value : {};
  return Object.entries(properties)
    .filter(([name]) => !Object.hasOwn(field.schema.properties ?? {}, name))
    .map(([name, property]) => (
      <FormField
        key={name}
        schema={property}
        path={[...field.path, name]}
        label={property.title ?? safeText(name, 200)}
        required={required.includes(name)}
        value={Object.hasOwn(value, name) ? value[name] : undefined}
        onChange={(member) => field.onChange({ ...value, [name]: member })}
      />
    ));
}

function NullValue({ field }: { readonly field: FieldProps }) {
  const { disabled } = useForm();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FieldLabel field={field} />
      <code className="rounded bg-sunken px-1.5 py-0.5 text-xs">null</code>
      <Button size="small" look="quiet" disabled={disabled} onClick={() => field.onChange(undefined)}>
        Enter a value
      </Button>
    </div>
  );
}

function Constant({ field }: { readonly field: FieldProps }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FieldLabel field={field} />
      <code className="rounded bg-sunken px-1.5 py-0.5 text-xs">{safeText(JSON.stringify(field.value), 200)}</code>
      <span className="text-xs text-ink-faint">constant</span>
    </div>
  );
}

function MissingValue({ field }: { readonly field: FieldProps }) {
  const { disabled, root } = useForm();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <FieldLabel field={field} />
        <Button
          size="small"
          aria-label={`Add ${field.label}`}
          disabled={disabled}
          onClick={() => field.onChange(initialValue(field.schema, root) ?? {})}
          icon={Plus}
        >
          Add
        </Button>
        <NullButton field={field} />
      </div>
      <FieldHint field={field} />
      <FieldError field={field} />
    </div>
  );
}
