import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../packages/contract/json.ts';

/** Whether a value is valid by JSON Schema 2020-12, and which of its members the schema evaluates: keys, or indexes as text. */
interface Outcome {
  readonly valid: boolean;
  readonly evaluated: ReadonlySet<string>;
}

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  object: isObject,
  integer: Number.isInteger,
  null: (value) => value === null,
};

/**
 * Validates word by word as the standard says, without any regard to speed: the reference for tests of validators. Supports
 * the keywords of `validate-arguments.fuzz.test.ts`, and references to the definitions of the root.
 */
export function isValidByStandard(root: JsonObject, value: unknown): boolean {
  return validate(root, root, value).valid;
}

function validate(root: JsonObject, schema: unknown, value: unknown): Outcome {
  if (!isObject(schema)) return { valid: schema !== false, evaluated: new Set() };
  const evaluated = new Set<string>();
  let valid = true;
  const check = (subschema: unknown, member: unknown) => validate(root, subschema, member).valid;
  const require = (condition: boolean) => {
    valid &&= condition;
  };
  /** Applies a subschema to the same value; its evaluated members count if the value is valid against it. */
  const apply = (subschema: unknown) => {
    const outcome = validate(root, subschema, value);
    if (outcome.valid) for (const key of outcome.evaluated) evaluated.add(key);
    return outcome.valid;
  };
  const checkMember = (key: string, subschema: unknown, member: unknown) => {
    evaluated.add(key);
    require(check(subschema, member));
  };

  const { type, $ref, anyOf, oneOf, allOf, not, dependentSchemas, dependentRequired } = schema;
  if (typeof $ref === 'string') require(apply((root.$defs as JsonObject)[$ref.replace('#/$defs/', '')]));
  if (typeof type === 'string') require(typeTests[type]?.(value) ?? typeof value === type);
  if ('const' in schema) require(isEqual(schema.const, value));
  if (Array.isArray(schema.enum)) require(schema.enum.some((member) => isEqual(member, value)));
  if (typeof value === 'number' && typeof schema.minimum === 'number') require(value >= schema.minimum);
  if (typeof value === 'string') {
    if (typeof schema.maxLength === 'number') require([...value].length <= schema.maxLength);
    if (typeof schema.pattern === 'string') require(new RegExp(schema.pattern, 'u').test(value));
  }
  if (Array.isArray(allOf)) for (const branch of allOf) require(apply(branch));
  if (Array.isArray(anyOf)) require(anyOf.filter((branch) => apply(branch)).length > 0);
  if (Array.isArray(oneOf)) require(oneOf.filter((branch) => apply(branch)).length === 1);
  if ('not' in schema) require(!check(not, value));
  if ('if' in schema) require(apply(schema.if) ? apply(schema.then) : apply(schema.else));

  if (isObject(value)) {
    const entries = Object.entries(value);
    const has = (key: string) => Object.hasOwn(value, key);
    if (Array.isArray(schema.required)) require(schema.required.every(has));
    if ('propertyNames' in schema) require(entries.every(([key]) => check(schema.propertyNames, key)));
    for (const [key, names] of Object.entries(dependentRequired ?? {}))
      if (has(key)) require((names as readonly string[]).every(has));
    for (const [key, subschema] of Object.entries(dependentSchemas ?? {})) if (has(key)) require(apply(subschema));
    const properties = (schema.properties ?? {}) as JsonObject;
    const patterns = Object.entries(schema.patternProperties ?? {});
    for (const [key, member] of entries) {
      const subschemas = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, child]) => child);
      if (Object.hasOwn(properties, key)) subschemas.push(properties[key]);
      if (subschemas.length === 0 && 'additionalProperties' in schema) subschemas.push(schema.additionalProperties);
      for (const subschema of subschemas) checkMember(key, subschema, member);
    }
    if ('unevaluatedProperties' in schema)
      for (const [key, member] of entries)
        if (!evaluated.has(key)) checkMember(key, schema.unevaluatedProperties, member);
  }

  if (Array.isArray(value)) {
    if (schema.uniqueItems === true)
      require(value.every((item, at) => !value.slice(0, at).some((other) => isEqual(item, other))));
    const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    for (const [at, item] of value.entries()) {
      if (at < prefix.length) checkMember(String(at), prefix[at], item);
      else if ('items' in schema) checkMember(String(at), schema.items, item);
    }
    if ('contains' in schema) {
      const matching = [...value.entries()].filter(([, item]) => check(schema.contains, item));
      for (const [at] of matching) evaluated.add(String(at));
      require(
        matching.length >= Number(schema.minContains ?? 1) && matching.length <= Number(schema.maxContains ?? 1e9),
      );
    }
    if ('unevaluatedItems' in schema)
      for (const [at, item] of value.entries())
        if (!evaluated.has(String(at))) checkMember(String(at), schema.unevaluatedItems, item);
  }
  return { valid, evaluated };
}

function isEqual(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}
