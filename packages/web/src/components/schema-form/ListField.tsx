import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../text/formats.ts';
import { Button, IconButton } from '../Button.tsx';
import { FieldGroup, type FieldProps } from './FieldParts.tsx';
import { useForm } from './form-context.ts';
import { itemSchema } from './form-schema.ts';
import { initialValue } from './form-values.ts';

export interface ListFieldProps {
  readonly field: FieldProps;
  readonly renderField: (field: FieldProps) => ReactNode;
}

/** The items of a list, which can be added, removed and moved; the items of a tuple stay in place. */
export function ListField({ field, renderField }: ListFieldProps) {
  const { disabled, root } = useForm();
  const { schema, path, label, onChange } = field;
  const fixedCount = Array.isArray(schema.items) ? schema.items.length : 0;
  const given: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const items = [...given, ...Array.from({ length: Math.max(0, fixedCount - given.length) })];
  const keys = useItemKeys(items.length);
  const nextSchema = itemSchema(schema, items.length);
  const canAdd = nextSchema !== undefined && !(typeof schema.maxItems === 'number' && items.length >= schema.maxItems);

  function move(from: number, to: number): void {
    keys.move(from, to);
    onChange(items.toSpliced(from, 1).toSpliced(to, 0, items[from]));
  }

  return (
    <FieldGroup field={field}>
      {items.map((item, at) => (
        <div key={keys.at(at)} className="flex min-w-0 items-start gap-1 max-sm:flex-col-reverse max-sm:items-stretch">
          <div className="min-w-0 flex-1">
            {renderField({
              schema: itemSchema(schema, at) ?? { 'x-any': true },
              path: [...path, at],
              label: `Item ${formatNumber(at + 1)}`,
              required: true,
              value: item,
              onChange: (next) => onChange(items.with(at, next)),
            })}
          </div>
          {at >= fixedCount && (
            <div className="flex shrink-0 pt-5 max-sm:justify-end max-sm:pt-0">
              <IconButton
                label={`Move item ${formatNumber(at + 1)} up`}
                size="small"
                disabled={disabled || at === fixedCount}
                onClick={() => move(at, at - 1)}
                icon={ArrowUp}
              />
              <IconButton
                label={`Move item ${formatNumber(at + 1)} down`}
                size="small"
                disabled={disabled || at === items.length - 1}
                onClick={() => move(at, at + 1)}
                icon={ArrowDown}
              />
              <IconButton
                label={`Remove item ${formatNumber(at + 1)}`}
                size="small"
                disabled={disabled}
                onClick={() => {
                  keys.remove(at);
                  onChange(items.toSpliced(at, 1));
                }}
                icon={X}
              />
            </div>
          )}
        </div>
      ))}
      {canAdd && (
        <div>
          <Button
            size="small"
            aria-label={`Add an item to ${label}`}
            disabled={disabled}
            onClick={() => onChange([...items, nextSchema && initialValue(nextSchema, root)])}
            icon={Plus}
          >
            Add an item
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

/** Keys that stay with the items when these move, so that each keeps its inputs. */
function useItemKeys(count: number) {
  const [keys, setKeys] = useState<readonly number[]>([]);
  const next = Math.max(-1, ...keys) + 1;
  const all = [...keys, ...Array.from({ length: Math.max(0, count - keys.length) }, (_, at) => next + at)];
  return {
    at: (index: number) => all[index],
    move: (from: number, to: number) => setKeys(all.toSpliced(from, 1).toSpliced(to, 0, all[from] ?? 0)),
    remove: (index: number) => setKeys(all.toSpliced(index, 1)),
  };
}
