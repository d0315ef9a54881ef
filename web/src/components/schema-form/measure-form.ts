import { isRecord } from '../content/is-record.ts';
import { type FormSchema, formLimits } from './form-schema.ts';
import { NoForm } from './source-references.ts';

/** Throws for a schema that is too large for a form once its references are followed. */
export function measureForm(root: FormSchema): void {
  let left = formLimits.subschemas * 3;
  const visit = (schema: FormSchema, level: number, path: readonly string[]): void => {
    left -= 1;
    if (left < 0) throw new NoForm('its references unfold into too many parts');
    if (level > formLimits.levels) throw new NoForm(`it is nested more than ${formLimits.levels} levels deep`);
    const { $ref } = schema;
    if ($ref !== undefined) {
      const target = root.$defs?.[$ref.slice('#/$defs/'.length)];
      if (target && !path.includes($ref)) visit(target, level, [...path, $ref]);
      return;
    }
    for (const part of partsIn(schema)) visit(part, level + 1, path);
  };
  visit(root, 0, []);
}

function partsIn({
  properties = {},
  items,
  additionalProperties,
  additionalItems,
  anyOf,
  oneOf,
}: FormSchema): FormSchema[] {
  const parts = [...Object.values(properties), items, additionalProperties, additionalItems, anyOf, oneOf].flat();
  return parts.filter((part): part is FormSchema => isRecord(part));
}
