import { isRawNumber } from '../../../../contract/exact-json.ts';
import { formatNumber } from '../../text/formats.ts';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import { describeKind } from './describe-kind.ts';
import { type FormSchema, formLimits } from './form-schema.ts';
import {
  choicesOf,
  createReferences,
  hasOnlyRules,
  isNull,
  mergeAllOf,
  NoFormError,
  readAnnotations,
  type Source,
  type SourceReferences,
  typesOf,
  withSharedType,
  withTitledChoices,
} from './read-source.ts';

export type FormSchemaResult =
  /** `hasMore`: the schema has rules that the form does not show. */
  | { readonly ok: true; readonly schema: FormSchema; readonly hasMore: boolean }
  | { readonly ok: false; readonly reason: string };

const bounds = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];
const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);
const formats = new Set(['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'password']);
const notShown = ['not', 'if', 'dependentSchemas', 'dependentRequired', 'dependencies', 'propertyNames', 'contains'];

/** Converts a server's schema to one that a form can be rendered from, or gives the reason why there is no form. Takes bounded time. */
export function toFormSchema(source: unknown): FormSchemaResult {
  try {
    if (!isRecord(source)) throw new NoFormError('it is not an object');
    const references = createReferences(source);
    const walk = createWalk(references);
    const top = resolveTop(source, references);
    const root = walk.convert(top, 0);
    if (root.type !== 'object') throw new NoFormError('it does not describe an object');
    const allowsOthers = top.additionalProperties !== undefined || top.patternProperties !== undefined;
    const { additionalProperties, ...closed } = root;
    // A tool without named arguments takes none, unless its schema allows any explicitly.
    const schema = {
      ...closed,
      ...(allowsOthers && { additionalProperties }),
      ...references.definitions((target) => walk.convert(target, 0)),
    };
    limitSize(schema);
    return { ok: true, schema, hasMore: walk.hasMore() };
  } catch (cause) {
    if (cause instanceof NoFormError) return { ok: false, reason: cause.message };
    throw cause;
  }
}

/** Follows the reference that the whole schema may be. */
function resolveTop(source: Source, references: SourceReferences): Source {
  let top = mergeAllOf(source, references);
  for (let hops = 0; typeof top.$ref === 'string'; hops++) {
    if (hops > 20) throw new NoFormError('its reference is circular');
    const { $ref, ...beside } = top;
    const target = references.resolve($ref as string);
    top = mergeAllOf({ ...(isRecord(target) && target), ...beside }, references);
  }
  return top;
}

interface Walk {
  convert(source: unknown, level: number): FormSchema;
  hasMore(): boolean;
}

function createWalk(references: SourceReferences): Walk {
  let hasMore = false;
  let left = formLimits.subschemas;

  function convert(given: unknown, level: number): FormSchema {
    if (level > formLimits.levels)
      throw new NoFormError(`it is nested more than ${formatNumber(formLimits.levels)} levels deep`);
    left -= 1;
    if (left < 0) throw new NoFormError(`it has more than ${formatNumber(formLimits.subschemas)} parts`);
    if (!isRecord(given)) return { 'x-any': true };
    const source = withTitledChoices(mergeAllOf(given, references));
    if (notShown.some((keyword) => keyword in source)) hasMore = true;
    const annotations = readAnnotations(source);
    if (typeof source.$ref === 'string') return { ...annotations, $ref: references.nameOf(source.$ref) };
    const union = unionOf(source, level);
    if (union && 'single' in union)
      return { ...union.single, ...annotations, ...(union.nullable && { 'x-nullable': true as const }) };
    const allowed = typesOf(source);
    const nullable = allowed.includes('null') && allowed.length > 1;
    const kinds = allowed.filter((type) => type !== 'null' || !nullable);
    if (kinds.length > 1 && !union) return severalKinds(source, kinds, annotations, nullable, level);
    const [type] = kinds;
    const shape = { ...annotations, ...(nullable && { 'x-nullable': true as const }), ...union?.options };
    if (type === undefined) return union ? shape : { ...shape, ...choicesOf(source), 'x-any': true };
    return { ...shape, type, ...choicesOf(source), ...partsOf(type, source, level, union !== undefined) };
  }

  function partsOf(type: string, source: Source, level: number, isUnion: boolean): Partial<FormSchema> {
    if (type === 'object') return objectParts(source, level, isUnion);
    if (type === 'array') return arrayParts(source, level);
    const kept = bounds.filter((bound) => isNumber(source[bound]));
    const { format, pattern } = source;
    return {
      ...Object.fromEntries(kept.map((bound) => [bound, source[bound]])),
      ...(typeof format === 'string' && formats.has(format) && type === 'string' && { format }),
      ...(typeof pattern === 'string' && { 'x-pattern': safeText(pattern, 200) }),
    };
  }

  function objectParts(source: Source, level: number, isUnion: boolean): Partial<FormSchema> {
    const properties: Record<string, FormSchema> = {};
    for (const [name, given] of Object.entries(isRecord(source.properties) ? source.properties : {})) {
      if (name in Object.prototype) throw new NoFormError(`it has an argument named ${name}`);
      if (given !== false) properties[name] = convert(given, level + 1);
    }
    const isOpen = Object.keys(properties).length === 0 && !isUnion;
    const patterns = isRecord(source.patternProperties) ? Object.values(source.patternProperties) : [];
    // If some members are named, others are offered only if the schema allows them explicitly.
    const more = source.additionalProperties ?? patterns[0] ?? (isOpen || undefined);
    const required = [source.required]
      .flat()
      .filter((name): name is string => Object.hasOwn(properties, name as string));
    return {
      properties,
      ...(required.length > 0 && { required }),
      ...(more !== undefined && { additionalProperties: more === false ? false : convert(more, level + 1) }),
    };
  }

  function arrayParts(source: Source, level: number): Partial<FormSchema> {
    const kept = bounds.filter((bound) => isNumber(source[bound]));
    const shared = {
      ...Object.fromEntries(kept.map((bound) => [bound, source[bound]])),
      ...(source.uniqueItems === true && { uniqueItems: true }),
    };
    const tuple = Array.isArray(source.prefixItems) ? source.prefixItems : source.items;
    if (!Array.isArray(tuple)) return { ...shared, items: convert(source.items ?? true, level + 1) };
    const rest = Array.isArray(source.prefixItems) ? source.items : source.additionalItems;
    return {
      ...shared,
      items: tuple.map((item) => convert(item, level + 1)),
      additionalItems: rest === undefined || rest === false ? false : convert(rest, level + 1),
    };
  }

  /** The options of a union. One option, or one option and `null`, is no union: `single`. */
  function unionOf(source: Source, level: number) {
    const keyword = Array.isArray(source.anyOf) ? 'anyOf' : 'oneOf';
    const given = source[keyword];
    if (!Array.isArray(given)) return undefined;
    const options = given.filter((option) => isRecord(option) && !hasOnlyRules(option));
    if (options.length < given.length) hasMore = true;
    if (options.length > formLimits.choices)
      throw new NoFormError(`it has more than ${formatNumber(formLimits.choices)} choices in one place`);
    const [first, ...more] = options.filter((option) => !isNull(option));
    if (first !== undefined && more.length === 0 && !isRecord(source.properties))
      return { single: convert(withSharedType(source, first), level), nullable: options.length > 1 };
    if (options.length === 0) return undefined;
    const converted = options.map((option) => {
      const schema = isNull(option) ? nullOption : convert(withSharedType(source, option), level + 1);
      return { ...schema, title: schema.title ?? describeKind(schema) };
    });
    return { options: { [keyword]: converted } };
  }

  function severalKinds(
    source: Source,
    kinds: readonly FormSchema['type'][],
    annotations: Partial<FormSchema>,
    nullable: boolean,
    level: number,
  ): FormSchema {
    const anyOf = kinds.map((type) => {
      const schema = convert(
        { ...source, type, title: undefined, description: undefined, default: undefined },
        level + 1,
      );
      return { ...schema, title: describeKind(schema) };
    });
    return { ...annotations, anyOf, ...(nullable && { 'x-nullable': true as const }) };
  }

  return { convert, hasMore: () => hasMore };
}

const nullOption: FormSchema = { type: 'null', const: null, title: 'null' };

/** Throws for a schema that is too large for a form once its references are followed. */
function limitSize(root: FormSchema): void {
  let left = formLimits.subschemas * 3;
  const visit = (schema: FormSchema, level: number, path: readonly string[]): void => {
    left -= 1;
    if (left < 0) throw new NoFormError('its references expand to too many parts');
    if (level > formLimits.levels)
      throw new NoFormError(`it is nested more than ${formatNumber(formLimits.levels)} levels deep`);
    const { $ref } = schema;
    if ($ref !== undefined) {
      const target = root.$defs?.[$ref.slice('#/$defs/'.length)];
      if (target && !path.includes($ref)) visit(target, level, [...path, $ref]);
      return;
    }
    for (const part of subschemasOf(schema)) visit(part, level + 1, path);
  };
  visit(root, 0, []);
}

function subschemasOf({
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
