import { Plus, X } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { formatNumber } from '../../text/formats.ts';
import { Button, IconButton } from '../Button.tsx';
import { Input } from '../fields.tsx';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import { FieldGroup, type FieldProps } from './FieldParts.tsx';
import { useFieldIds, useForm } from './form-context.ts';

export interface ObjectFieldProps {
  readonly field: FieldProps;
  readonly renderField: (field: FieldProps) => ReactNode;
  /** The fields of the chosen option, where the object is a union too. */
  readonly children?: ReactNode;
  /** The names of the members that `children` shows. */
  readonly optionNames?: readonly string[];
}

/** The members of an object, one below the other, and those that a person adds. */
export function ObjectField({ field, renderField, children, optionNames = [] }: ObjectFieldProps) {
  const { disabled, purpose } = useForm();
  const { schema, path, onChange } = field;
  const value = isRecord(field.value) ? field.value : {};
  const { properties = {}, additionalProperties, required = [] } = schema;
  const canAdd = additionalProperties !== undefined && additionalProperties !== false;
  const extraSchema = typeof additionalProperties === 'object' ? additionalProperties : { 'x-any': true as const };
  const extras = Object.keys(value).filter((name) => !Object.hasOwn(properties, name) && !optionNames.includes(name));
  const setMember = (name: string, member: unknown) => onChange({ ...value, [name]: member });
  const setEntries = (entries: readonly (readonly [string, unknown])[]) => onChange(Object.fromEntries(entries));
  const content = (
    <>
      {Object.entries(properties).map(([name, property]) => (
        <Fragment key={name}>
          {renderField({
            schema: property,
            path: [...path, name],
            label: property.title ?? safeText(name, 200),
            required: required.includes(name),
            value: Object.hasOwn(value, name) ? value[name] : undefined,
            onChange: (member) => setMember(name, member),
          })}
        </Fragment>
      ))}
      {children}
      {canAdd &&
        extras.map((name, at) => (
          <ExtraMember
            // biome-ignore lint/suspicious/noArrayIndexKey: renaming a member must not take the focus away
            key={at}
            field={field}
            name={name}
            onRename={(next) => {
              if (next === name || Object.hasOwn(value, next) || next in Object.prototype) return;
              setEntries(Object.entries(value).map(([key, member]) => [key === name ? next : key, member]));
            }}
            onRemove={() => setEntries(Object.entries(value).filter(([key]) => key !== name))}
          >
            {renderField({
              schema: { ...extraSchema, title: undefined },
              path: [...path, name],
              label: name === '' ? 'Value of the property' : `Value of ${safeText(name, 100)}`,
              required: false,
              value: value[name],
              onChange: (member) => setMember(name, member),
              isOption: true,
            })}
          </ExtraMember>
        ))}
      {Object.keys(properties).length === 0 && !canAdd && children === undefined && (
        <p className="text-ink-soft">
          {path.length === 0 && purpose === 'arguments' ? 'This tool takes no arguments.' : 'Nothing to fill in.'}
        </p>
      )}
      {canAdd && (
        <div>
          <Button
            size="small"
            disabled={disabled || Object.hasOwn(value, '')}
            onClick={() => onChange({ ...value, '': undefined })}
            icon={Plus}
          >
            Add a property
          </Button>
        </div>
      )}
    </>
  );
  if (path.length === 0) return <div className="flex min-w-0 flex-col gap-4">{content}</div>;
  return (
    <FieldGroup field={field} name={groupName(field)}>
      {content}
    </FieldGroup>
  );
}

/** `stops item 2`: items of different lists must not share a name. */
function groupName({ label, path }: FieldProps): string {
  const index = path.at(-1);
  return typeof index === 'number' ? `${safeText(path.at(-2), 100)} item ${formatNumber(index + 1)}` : label;
}

interface ExtraMemberProps {
  readonly field: FieldProps;
  readonly name: string;
  readonly onRename: (name: string) => void;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function ExtraMember({ field, name, onRename, onRemove, children }: ExtraMemberProps) {
  const { disabled } = useForm();
  const { id } = useFieldIds([...field.path, name]);
  return (
    <div className="flex min-w-0 flex-wrap items-start gap-2">
      <Input
        id={`${id}-name`}
        aria-label="Property name"
        defaultValue={name}
        disabled={disabled}
        onBlur={({ target }) => onRename(target.value)}
        className="min-w-32 flex-1 basis-1/3"
      />
      <div className="min-w-40 flex-2 basis-1/2">{children}</div>
      <IconButton
        label={`Remove ${safeText(name, 100)}`}
        size="small"
        disabled={disabled}
        onClick={onRemove}
        icon={X}
      />
    </div>
  );
}
