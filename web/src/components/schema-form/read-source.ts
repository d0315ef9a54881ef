import { isRecord } from '../content/is-record.ts';
import { safeText } from '../safe-text.ts';
import { type FormSchema, formLimits } from './form-schema.ts';
import { NoForm, type Source } from './source-references.ts';

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

export function wordsOf({ title, description, ...source }: Source): Partial<FormSchema> {
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
    throw new NoForm(`it has more than ${formLimits.choices} choices in one place`);
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
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The types that a schema allows; none where it does not say. */
export function typesOf(source: Source): NonNullable<FormSchema['type']>[] {
  const said = [source.type]
    .flat()
    .filter((type): type is NonNullable<FormSchema['type']> => types.has(type as string));
  const values = source.const !== undefined ? [source.const] : Array.isArray(source.enum) ? source.enum : [];
  if (said.length > 0) return [...new Set(said)];
  if (values.length > 0) return [...new Set(values.map(typeOf))];
  if (isRecord(source.properties) || isRecord(source.additionalProperties)) return ['object'];
  if (source.items !== undefined || source.prefixItems !== undefined) return ['array'];
  return [];
}

function typeOf(value: unknown): NonNullable<FormSchema['type']> {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

export function isNull(option: Source): boolean {
  return option.type === 'null' || option.const === null;
}

/** Whether an option only says which arguments go together, so that there is nothing to fill in. */
export function isRuleOnly(option: Source): boolean {
  return Object.keys(option).every((key) => ['required', 'not', 'title', 'description'].includes(key));
}

/** Gives an option the type that all options share. */
export function inheriting(source: Source, option: Source): Source {
  if (option.type !== undefined || option.$ref !== undefined || typeof source.type !== 'string') return option;
  return { ...option, type: source.type };
}
