import type { ObjectFieldTemplateProps } from '@rjsf/utils';
import { Plus } from 'lucide-react';
import { Button } from '../Button.tsx';
import { FieldLabel } from './FieldLabel.tsx';
import type { FormSchema } from './form-schema.ts';

/** An object's properties, one under the other, and a way to add others where others are allowed. */
export function ObjectFrame(props: ObjectFieldTemplateProps) {
  const { title, description, properties, required = false, disabled, fieldPathId, onAddProperty } = props;
  const schema = props.schema as FormSchema;
  const { path } = fieldPathId;
  const isUnion = schema.anyOf !== undefined || schema.oneOf !== undefined;
  if (isUnion && properties.length === 0) return null;
  const isRoot = path.length === 0;
  const isOption = schema['x-option'] === true;
  const canAdd = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  const content = (
    <>
      {description && !isRoot && (
        <p className="max-w-prose text-xs whitespace-pre-wrap text-ink-faint">{description}</p>
      )}
      {properties.map((property) => property.content)}
      {properties.length === 0 && !canAdd && (
        <p className="text-ink-soft">{isRoot ? 'It takes no arguments.' : 'Nothing to fill in.'}</p>
      )}
      {canAdd && (
        <div>
          <Button size="small" disabled={disabled} onClick={onAddProperty}>
            <Plus aria-hidden />
            Add a property
          </Button>
        </div>
      )}
    </>
  );
  if (isRoot) return <div className="flex min-w-0 flex-col gap-4">{content}</div>;
  if (isOption) return <div className="flex min-w-0 flex-col gap-3">{content}</div>;
  return (
    <fieldset className="min-w-0 rounded-md border border-line px-3 pt-2 pb-3">
      <legend className="sr-only">{title}</legend>
      <div aria-hidden className="mb-2 pr-20">
        <FieldLabel label={title} name={path.at(-1) ?? ''} required={required} schema={schema} />
      </div>
      <div className="flex min-w-0 flex-col gap-3">{content}</div>
    </fieldset>
  );
}
