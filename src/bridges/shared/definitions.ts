import { isObject, type JsonSchema } from '../../kernel/json.ts';
import { mapSubschemas } from './map-subschemas.ts';

/** The schema a reference into `$defs` leads to. */
export function definitionOf(reference: unknown, definitions: JsonSchema): JsonSchema | undefined {
  if (typeof reference !== 'string') return undefined;
  const target = definitions[reference.slice('#/$defs/'.length)];
  return isObject(target) ? target : undefined;
}

/** The schema with those definitions that it uses, directly or through others. */
export function withUsedDefinitions(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const used = new Set<string>();
  const waiting: JsonSchema[] = [schema];
  const visit = (subschema: JsonSchema): JsonSchema => {
    if (typeof subschema.$ref === 'string' && !used.has(subschema.$ref)) {
      used.add(subschema.$ref);
      const target = definitionOf(subschema.$ref, definitions);
      if (target) waiting.push(target);
    }
    return mapSubschemas(subschema, visit);
  };
  for (const next of waiting) visit(next);
  if (used.size === 0) return schema;
  const entries = Object.entries(definitions).filter(([name]) => used.has(`#/$defs/${name}`));
  return { ...schema, $defs: Object.fromEntries(entries) };
}

/** The schema with its references written out, or undefined where that has no end or needs more than `steps` of them. */
export function writeOut(schema: JsonSchema, definitions: JsonSchema, steps: number): JsonSchema | undefined {
  let left = steps;
  const convert = (source: JsonSchema): JsonSchema => {
    const target = definitionOf(source.$ref, definitions);
    if (target === undefined || --left < 0) return mapSubschemas(source, convert);
    const { $ref, ...rest } = source;
    return convert({ ...target, ...rest });
  };
  const written = convert(schema);
  return left < 0 ? undefined : written;
}
