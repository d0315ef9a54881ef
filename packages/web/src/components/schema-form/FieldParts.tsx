import type { ReactNode } from 'react';
import { formatNumber } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { safeText } from '../safe-text.ts';
import { describeBounds, describeKind } from './describe-kind.ts';
import { type FieldPath, useFieldIds, useForm } from './form-context.ts';
import type { FormSchema } from './form-schema.ts';

/** One field of a form, with its schema's reference resolved. */
export interface FieldProps {
  readonly schema: FormSchema;
  readonly path: FieldPath;
  /** The title, else the name. */
  readonly label: string;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The option of a union, whose label is the union's. */
  readonly isOption?: boolean;
}

/** A field's title, its argument name and its required mark. */
export function FieldLabel({ field, htmlFor }: { readonly field: FieldProps; readonly htmlFor?: string }) {
  const { purpose } = useForm();
  const { label, path, required, schema } = field;
  const name = path.at(-1);
  const isItem = typeof name === 'number';
  const content = (
    <>
      {isItem ? `Item ${formatNumber(name + 1)}` : label}
      {!isItem && purpose === 'arguments' && label !== name && (
        <code className="ml-1.5 font-normal text-ink-faint">{safeText(name, 100)}</code>
      )}
      {required && !isItem && (
        <span className="text-bad" aria-hidden>
          {' '}
          *
        </span>
      )}
      {schema.deprecated === true && <span className="ml-1.5 text-xs font-normal text-warn">deprecated</span>}
    </>
  );
  if (htmlFor === undefined) return <span className="font-medium break-words">{content}</span>;
  return (
    <label htmlFor={htmlFor} className="font-medium break-words">
      {content}
    </label>
  );
}

/** The type and the limits of a value, in words. */
export function FieldKind({ schema }: { readonly schema: FormSchema }) {
  const kind = schema.anyOf || schema.oneOf ? '' : describeKind(schema);
  const bounds = describeBounds(schema);
  return <span className="text-xs text-ink-faint">{[kind, bounds].filter((part) => part !== '').join(', ')}</span>;
}

export function FieldHint({ field }: { readonly field: FieldProps }) {
  const { hintId } = useFieldIds(field.path);
  const { description } = field.schema;
  if (description === undefined) return null;
  return (
    <p id={hintId} className="max-w-prose text-xs break-words whitespace-pre-wrap text-ink-faint">
      {description}
    </p>
  );
}

export function FieldError({ field }: { readonly field: FieldProps }) {
  const { error, errorId } = useFieldIds(field.path);
  if (error === undefined) return null;
  return (
    <p id={errorId} className="text-xs text-bad">
      {safeText(error, 500)}
    </p>
  );
}

export function NullButton({ field }: { readonly field: FieldProps }) {
  const { disabled } = useForm();
  if (!field.schema['x-nullable']) return null;
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={() => field.onChange(null)}
      className="text-xs text-accent-strong underline underline-offset-2 disabled:opacity-50"
    >
      Send null
    </button>
  );
}

export interface FieldGroupProps {
  readonly field: FieldProps;
  /** The group's accessible name. Default: the field's label. */
  readonly name?: string;
  readonly children: ReactNode;
}

/** The frame of a field that consists of several inputs. */
export function FieldGroup({ field, name, children }: FieldGroupProps) {
  const { disabled } = useForm();
  const { label, required, value, isOption } = field;
  if (isOption) return <div className="flex min-w-0 flex-col gap-3">{children}</div>;
  return (
    <fieldset className="min-w-0 rounded-md border border-line px-3 pt-2 pb-3">
      <legend className="sr-only">{name ?? label}</legend>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <span aria-hidden>
            <FieldLabel field={field} />
          </span>
          {field.schema.type === 'array' && <FieldKind schema={field.schema} />}
          <NullButton field={field} />
          {field.schema.type !== 'array' && !required && value !== undefined && (
            <Button
              size="small"
              look="quiet"
              className="ml-auto"
              aria-label={`Remove ${label}`}
              disabled={disabled}
              onClick={() => field.onChange(undefined)}
            >
              Remove
            </Button>
          )}
        </div>
        <FieldHint field={field} />
        {children}
        <FieldError field={field} />
      </div>
    </fieldset>
  );
}
