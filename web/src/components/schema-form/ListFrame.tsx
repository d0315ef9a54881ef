import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from '@rjsf/utils';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { Button, IconButton } from '../Button.tsx';
import { describeBounds, describeKind } from './describe-kind.ts';
import { FieldLabel } from './FieldLabel.tsx';
import type { FormSchema } from './form-schema.ts';

/** A list: its items, and the way to add one. */
export function ListFrame(props: ArrayFieldTemplateProps) {
  const { title, items, canAdd, onAddClick, disabled, required = false, fieldPathId } = props;
  const schema = props.schema as FormSchema;
  const isOption = schema['x-option'] === true;
  const bounds = describeBounds(schema);
  return (
    <fieldset className="min-w-0 rounded-md border border-line px-3 pt-2 pb-3">
      <legend className="sr-only">{title}</legend>
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex flex-wrap items-baseline gap-x-2">
          {!isOption && (
            <FieldLabel label={title} name={fieldPathId.path.at(-1) ?? ''} required={required} schema={schema} />
          )}
          <span className="text-xs text-ink-faint">
            {describeKind(schema)}
            {bounds !== '' && `, ${bounds}`}
          </span>
        </div>
        {schema.description && (
          <p className="max-w-prose text-xs whitespace-pre-wrap text-ink-faint">{schema.description}</p>
        )}
        {items}
        {canAdd && (
          <div>
            <Button size="small" disabled={disabled} onClick={onAddClick}>
              <Plus aria-hidden />
              Add an item <span className="sr-only">to {title}</span>
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

/** One item of a list, to move and to remove. */
export function ListItem({ children, index, buttonsProps, hasToolbar, disabled }: ArrayFieldItemTemplateProps) {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  const which = `item ${index + 1}`;
  return (
    <div className="flex min-w-0 items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {hasToolbar && (
        <div className="flex shrink-0 pt-5">
          {(hasMoveUp || hasMoveDown) && (
            <>
              <IconButton
                label={`Move ${which} up`}
                size="small"
                disabled={disabled || !hasMoveUp}
                onClick={onMoveUpItem}
              >
                <ArrowUp aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${which} down`}
                size="small"
                disabled={disabled || !hasMoveDown}
                onClick={onMoveDownItem}
              >
                <ArrowDown aria-hidden />
              </IconButton>
            </>
          )}
          {hasRemove && (
            <IconButton label={`Remove ${which}`} size="small" disabled={disabled} onClick={onRemoveItem}>
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      )}
    </div>
  );
}
