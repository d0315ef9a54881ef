import { isObject, type JsonSchema } from '../../kernel/json.ts';

/** Translates keywords of drafts 3 to 2019-09 to draft 2020-12. */
export function toCurrentKeywords(schema: JsonSchema): JsonSchema {
  return fromRequiredFlags(fromDependencies(fromTuple(fromExclusiveFlags(schema))));
}

function fromExclusiveFlags(schema: JsonSchema): JsonSchema {
  const current: Record<string, unknown> = { ...schema };
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof current[flag] !== 'boolean') continue;
    if (current[flag] && typeof current[bound] === 'number') {
      current[flag] = current[bound];
      delete current[bound];
    } else delete current[flag];
  }
  return current;
}

function fromTuple(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema.additionalItems === undefined ? schema : { ...rest, items };
  const tuple = { ...rest, prefixItems: items };
  if (additionalItems !== false) return { ...tuple, items: additionalItems };
  // As a length, because in older drafts `items: false` means "no items at all".
  const { maxItems } = schema;
  return { ...tuple, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, items.length) : items.length };
}

function fromDependencies(schema: JsonSchema): JsonSchema {
  const { dependencies, ...rest } = schema;
  if (!isObject(dependencies)) return rest;
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => isObject(value));
  return {
    ...(names.length > 0 && { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
    ...rest,
  };
}

function fromRequiredFlags(schema: JsonSchema): JsonSchema {
  if (!isObject(schema.properties)) return schema;
  const flagged = Object.entries(schema.properties)
    .filter(([, member]) => isObject(member) && member.required === true)
    .map(([name]) => name);
  if (flagged.length === 0) return schema;
  return { ...schema, required: [...(Array.isArray(schema.required) ? schema.required : []), ...flagged] };
}
