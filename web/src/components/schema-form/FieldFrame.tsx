import { ADDITIONAL_PROPERTY_FLAG, type FieldTemplateProps } from '@rjsf/utils';
import { Plus, X } from 'lucide-react';
import { Button } from '../Button.tsx';
import { safeText } from '../safe-text.ts';
import { describeBounds, describeKind } from './describe-kind.ts';
import { domId, errorId, hintId } from './dom-ids.ts';
import { FieldLabel } from './FieldLabel.tsx';
import { useFormRoot } from './form-root.ts';
import type { FormSchema } from './form-schema.ts';
import { initialValue } from './initial-value.ts';
import { AddedProperty } from './other-frames.tsx';

// Deeper than this, what has no value yet waits for a click: a schema may lead into itself without end.
const maxOpenLevels = 6;

/** Around every field: its name, what to know, what is wrong, and the ways to leave it out or to send null. */
export function FieldFrame(props: FieldTemplateProps) {
  const {
    id,
    children,
    displayLabel,
    fieldPathId,
    formData,
    label,
    required = false,
    disabled,
    rawErrors,
    onChange,
  } = props;
  const { rawDescription, schema: given } = props;
  const root = useFormRoot();
  const schema = given as FormSchema;
  const { path } = fieldPathId;
  if (path.length === 0) return <>{children}</>;
  const isOption = schema['x-option'] === true;
  const isBig = schema.type === 'object' || hasObjects(schema);
  const set = (value: unknown) => onChange(value as never, path);
  const naming = { label, name: path.at(-1) ?? '', required, schema };

  if (isOption) return <div className="min-w-0">{children}</div>;
  if (ADDITIONAL_PROPERTY_FLAG in schema) {
    return (
      <AddedProperty {...props}>
        <label htmlFor={domId(id)} className="sr-only">
          Value of {safeText(label, 100)}
        </label>
        {children}
      </AddedProperty>
    );
  }
  if (formData === null && schema['x-nullable'] && schema.type !== 'null') {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <FieldLabel {...naming} />
        <code className="rounded bg-sunken px-1.5 py-0.5 text-xs">null</code>
        <Button size="small" look="quiet" disabled={disabled} onClick={() => set(undefined)}>
          Write a value instead
        </Button>
      </div>
    );
  }
  if (required && schema.const !== undefined && JSON.stringify(formData) === JSON.stringify(schema.const)) {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <FieldLabel {...naming} />
        <code className="rounded bg-sunken px-1.5 py-0.5 text-xs">{safeText(JSON.stringify(formData), 200)}</code>
        <span className="text-xs text-ink-faint">always</span>
      </div>
    );
  }
  if (formData === undefined && isBig && (!required || path.length > maxOpenLevels)) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <FieldLabel {...naming} />
          <Button size="small" disabled={disabled} onClick={() => set(initialValue(schema, root) ?? {})}>
            <Plus aria-hidden />
            Add <span className="sr-only">{safeText(label, 100)}</span>
          </Button>
          <NullButton schema={schema} disabled={disabled} onClick={() => set(null)} />
        </div>
        <Hint id={id} text={rawDescription} />
      </div>
    );
  }
  const canRemove = isBig && !required && formData !== undefined;
  const bounds = displayLabel ? describeBounds(schema) : '';
  return (
    <div className="relative flex min-w-0 flex-col gap-1">
      {displayLabel && (
        <div className="flex flex-wrap items-baseline gap-x-2">
          <FieldLabel {...naming} htmlFor={domId(id)} />
          <span className="text-xs text-ink-faint">
            {schema.anyOf || schema.oneOf ? '' : describeKind(schema)}
            {bounds !== '' && `, ${bounds}`}
          </span>
          <NullButton schema={schema} disabled={disabled} onClick={() => set(null)} />
        </div>
      )}
      {canRemove && (
        <div className="absolute top-1 right-1">
          <Button size="small" look="quiet" disabled={disabled} onClick={() => set(undefined)}>
            <X aria-hidden />
            Remove <span className="sr-only">{safeText(label, 100)}</span>
          </Button>
        </div>
      )}
      {children}
      {displayLabel && <Hint id={id} text={rawDescription} />}
      {formData === undefined && (schema['x-default'] ?? undefined) !== undefined && displayLabel && (
        <p className="text-xs text-ink-faint">
          Left empty, it is <code>{safeText(JSON.stringify(schema['x-default']), 100)}</code>
        </p>
      )}
      {rawErrors && rawErrors.length > 0 && (
        <p id={errorId(id)} className="text-xs text-bad">
          {[...new Set(rawErrors)].map((error) => safeText(error, 500)).join('. ')}
        </p>
      )}
    </div>
  );
}

function Hint({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <p id={hintId(id)} className="max-w-prose text-xs break-words whitespace-pre-wrap text-ink-faint">
      {text}
    </p>
  );
}

interface NullButtonProps {
  readonly schema: FormSchema;
  readonly disabled: boolean | undefined;
  readonly onClick: () => void;
}

function NullButton({ schema, disabled, onClick }: NullButtonProps) {
  if (!schema['x-nullable']) return null;
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onClick}
      className="text-xs text-accent-strong underline underline-offset-2 disabled:opacity-50"
    >
      Send null
    </button>
  );
}

function hasObjects({ anyOf, oneOf }: FormSchema): boolean {
  return (anyOf ?? oneOf ?? []).some(({ type, $ref }) => type === 'object' || type === 'array' || $ref !== undefined);
}
