import { isRawNumber } from '../../../../contract/exact-json.ts';
import { formatNumber } from '../../text/formats.ts';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import { type FormSchema, formLimits } from './form-schema.ts';

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

export function readAnnotations({ title, description, ...source }: Source): Partial<FormSchema> {
  return {
    ...(typeof title === 'string' && title !== '' && { title: safeText(title, 200) }),
    ...(typeof description === 'string' && description !== '' && { description: safeText(description, 2_000) }),
    ...(source.default !== undefined && { 'x-default': source.default }),
    ...(source.deprecated === true && { deprecated: true }),
  };
}

export function choicesOf(source: Source): Partial<FormSchema> {
  if (source.const !== undefined) return { const: source.const, enum: [source.const] };
  if (!Array.isArray(source.enum)) return {};
  if (source.enum.length > formLimits.choices)
    throw new NoFormError(`it has more than ${formatNumber(formLimits.choices)} choices in one place`);
  const names: readonly unknown[] = Array.isArray(source.enumNames) ? source.enumNames : [];
  const choices = source.enum.map((value, at) => ({ value, name: names[at] })).filter(({ value }) => value !== null);
  const labels = choices.map(({ value, name }) => safeText(typeof name === 'string' ? name : value, 200));
  return {
    enum: choices.map(({ value }) => value),
    ...(names.length > 0 && { 'x-labels': labels }),
  };
}

/** Rewrites a union of titled constants, which is a choice with labels, as `enum` with `enumNames`. */
export function withTitledChoices(source: Source): Source {
  const { anyOf, oneOf, ...rest } = source;
  const options: readonly unknown[] = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  const constants = options.filter((option) => isRecord(option) && isScalar(option.const)) as Source[];
  if (constants.length === 0 || constants.length < options.length || isRecord(rest.properties)) return source;
  return {
    ...rest,
    enum: constants.map((option) => option.const),
    enumNames: constants.map((option) => option.title ?? option.const),
  };
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || isRawNumber(value);
}

/** The types that a schema allows; none where it does not say. */
export function typesOf(source: Source): NonNullable<FormSchema['type']>[] {
  const declared = [source.type]
    .flat()
    .filter((type): type is NonNullable<FormSchema['type']> => types.has(type as string));
  const values = source.const !== undefined ? [source.const] : Array.isArray(source.enum) ? source.enum : [];
  if (declared.length > 0) return [...new Set(declared)];
  if (values.length > 0) return [...new Set(values.map(typeOf))];
  if (isRecord(source.properties) || isRecord(source.additionalProperties)) return ['object'];
  if (source.items !== undefined || source.prefixItems !== undefined) return ['array'];
  return [];
}

function typeOf(value: unknown): NonNullable<FormSchema['type']> {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRawNumber(value)) return 'number';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

export function isNull(option: Source): boolean {
  return option.type === 'null' || option.const === null;
}

/** Whether an option only says which arguments go together, so that there is nothing to fill in. */
export function hasOnlyRules(option: Source): boolean {
  return Object.keys(option).every((key) => ['required', 'not', 'title', 'description'].includes(key));
}

/** Gives an option the type that all options share. */
export function withSharedType(source: Source, option: Source): Source {
  if (option.type !== undefined || option.$ref !== undefined || typeof source.type !== 'string') return option;
  return { ...option, type: source.type };
}

const maxMerged = 200;

/** Merges the parts of a schema's `allOf` into the schema. */
export function mergeAllOf(source: Source, references: SourceReferences): Source {
  if (!Array.isArray(source.allOf)) return source;
  const { allOf, ...outer } = source;
  // One reference, wrapped to add a title or a description.
  const [only] = allOf;
  if (allOf.length === 1 && isRecord(only) && typeof only.$ref === 'string' && !hasShape(outer))
    return { ...outer, ...only, ...ownTitle(outer) };
  return [outer, ...gather(allOf, references)].reduce(mergeTwo);
}

/** Collects all parts, with references followed. Bounded: parts that refer to themselves twice would never end. */
function gather(allOf: readonly unknown[], references: SourceReferences): Source[] {
  const parts: Source[] = [];
  const waiting = allOf.filter(isRecord);
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (parts.length >= maxMerged) throw new NoFormError('its allOf has too many parts');
    const { $ref, allOf: inner, ...own } = part;
    parts.push(own);
    const target = typeof $ref === 'string' ? references.resolve($ref) : undefined;
    waiting.unshift(...[target, ...(Array.isArray(inner) ? inner : [])].filter(isRecord));
  }
  return parts;
}

/** The first part's keywords win; properties and required names are combined. */
function mergeTwo(first: Source, second: Source): Source {
  const required = [first.required, second.required].filter(Array.isArray).flat();
  return {
    ...second,
    ...first,
    ...(isRecord(first.properties) &&
      isRecord(second.properties) && { properties: mergeProperties(first.properties, second.properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function mergeProperties(first: Source, second: Source): Source {
  const shared = Object.keys(second).filter((name) => Object.hasOwn(first, name));
  const merged = shared.map((name) => [name, { allOf: [first[name], second[name]] }]);
  return { ...second, ...first, ...Object.fromEntries(merged) };
}

function hasShape(source: Source): boolean {
  return ['properties', 'required', 'items', 'anyOf', 'oneOf', 'enum'].some((keyword) => keyword in source);
}

function ownTitle({ title, description }: Source): Source {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

/** A schema as its server sent it. */
export type Source = Readonly<Record<string, unknown>>;

/** The reason why a schema gets no form. */
export class NoFormError extends Error {}

/** Resolves references within a schema. References out of it are refused; nothing is fetched. */
export interface SourceReferences {
  /** The target of a reference. */
  resolve(reference: string): unknown;
  /** The form's own reference to the same target. */
  nameOf(reference: string): string;
  /** Converts every target that was named, including those named during conversion. */
  definitions<Schema>(convert: (target: unknown) => Schema): { readonly $defs?: Readonly<Record<string, Schema>> };
}

export function createReferences(root: Source): SourceReferences {
  const names = new Map<string, string>();

  function resolve(reference: string): unknown {
    let target: unknown = root;
    for (const part of toPointer(reference)) {
      const next: unknown = isContainer(target) && Object.hasOwn(target, part) ? Reflect.get(target, part) : undefined;
      if (next === undefined) throw new NoFormError(`its reference ${safeText(reference, 100)} does not exist`);
      target = next;
    }
    return target;
  }

  return {
    resolve,
    nameOf(reference) {
      resolve(reference);
      const name = names.get(reference) ?? `d${names.size}`;
      names.set(reference, name);
      return `#/$defs/${name}`;
    },
    definitions<Schema>(convert: (target: unknown) => Schema) {
      const $defs: Record<string, Schema> = {};
      // Converting a target may add others; iterating a Map includes them.
      for (const [reference, name] of names) $defs[name] = convert(resolve(reference));
      return names.size > 0 ? { $defs } : {};
    },
  };
}

function toPointer(reference: string): string[] {
  if (reference === '#') return [];
  if (!reference.startsWith('#/'))
    throw new NoFormError(`its reference ${safeText(reference, 100)} points outside of it`);
  try {
    return decodeURIComponent(reference)
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    throw new NoFormError(`its reference ${safeText(reference, 100)} does not exist`);
  }
}

function isContainer(value: unknown): value is object {
  return isRecord(value) || Array.isArray(value);
}
