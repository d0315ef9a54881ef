import { isObject, type JsonSchema } from '../../../contract/json.ts';

export const schemaKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
export const listKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
export const mapKeywords: ReadonlySet<string> = new Set([
  '$defs',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Copies the schema with `change` applied to each direct subschema. Everything else, including boolean schemas, is unchanged. */
export function mapSubschemas(schema: JsonSchema, change: (subschema: JsonSchema) => JsonSchema): JsonSchema {
  const one = (value: unknown) => (isObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (schemaKeywords.has(keyword)) return [keyword, one(value)];
      if (listKeywords.has(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
      if (mapKeywords.has(keyword) && isObject(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, one(member)]))];
      return [keyword, value];
    }),
  );
}
