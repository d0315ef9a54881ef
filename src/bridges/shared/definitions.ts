import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { mapSubschemas } from './map-subschemas.ts';

/** The schema that a reference into `$defs` points to. */
export function definitionOf(reference: unknown, definitions: JsonSchema): JsonSchema | undefined {
  if (typeof reference !== 'string') return undefined;
  const target = definitions[reference.slice('#/$defs/'.length)];
  return isObject(target) ? target : undefined;
}

/** The schema with the definitions that it uses, directly or indirectly. */
export function withUsedDefinitions(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const used = new Set<string>();
  const pending: JsonSchema[] = [schema];
  const visit = (subschema: JsonSchema): JsonSchema => {
    if (typeof subschema.$ref === 'string' && !used.has(subschema.$ref)) {
      used.add(subschema.$ref);
      const target = definitionOf(subschema.$ref, definitions);
      if (target) pending.push(target);
    }
    return mapSubschemas(subschema, visit);
  };
  for (const next of pending) visit(next);
  if (used.size === 0) return schema;
  const entries = Object.entries(definitions).filter(([name]) => used.has(`#/$defs/${name}`));
  return { ...schema, $defs: Object.fromEntries(entries) };
}

/** The schema with its references inlined; undefined if they are circular or more than `maxReferences`. */
export function inlineReferences(
  schema: JsonSchema,
  definitions: JsonSchema,
  maxReferences: number,
): JsonSchema | undefined {
  let left = maxReferences;
  const convert = (source: JsonSchema): JsonSchema => {
    const target = definitionOf(source.$ref, definitions);
    if (target === undefined || --left < 0) return mapSubschemas(source, convert);
    const { $ref, ...rest } = source;
    return convert({ ...target, ...rest });
  };
  const inlined = convert(schema);
  return left < 0 ? undefined : inlined;
}
