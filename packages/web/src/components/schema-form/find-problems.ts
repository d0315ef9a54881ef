import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { roundNumbers } from '../../../../contract/exact-json.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { isRecord } from '../is-record.ts';
import { safeText } from '../safe-text.ts';
import { describeKind } from './describe-kind.ts';
import { type FormSchema, resolveReference } from './form-schema.ts';

const texts = {
  kinds: {
    string: 'text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
    null: 'null',
  },
  type: (kinds: readonly string[]) => `Must be ${kinds.join(' or ')}`,
  format: (kind: string) => `Must be a valid ${kind}`,
  enum: 'Must be one of the choices',
  minimum: (limit: number) => `Must be at least ${formatNumber(limit)}`,
  maximum: (limit: number) => `Must be at most ${formatNumber(limit)}`,
  exclusiveMinimum: (limit: number) => `Must be more than ${formatNumber(limit)}`,
  exclusiveMaximum: (limit: number) => `Must be less than ${formatNumber(limit)}`,
  multipleOf: (factor: number) => `Must be a multiple of ${formatNumber(factor)}`,
  minLength: (limit: number) => `Must have at least ${plural(limit, 'character')}`,
  maxLength: (limit: number) => `Must have at most ${plural(limit, 'character')}`,
  minItems: (limit: number) => `Must have at least ${plural(limit, 'item')}`,
  maxItems: (limit: number) => `Must have at most ${plural(limit, 'item')}`,
  uniqueItems: 'Must not contain an item twice',
  noAlternative: 'Matches none of the allowed types',
  additionalProperties: 'Has properties that are not allowed',
  other: (keyword: string) => `Does not match the schema (${keyword})`,
};

// The alternatives of a union use up errors too.
Settings.Set({ maxErrors: 200 });

interface RawError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A value that does not match its schema. */
export interface FormProblem {
  /** JSON pointer of the value. */
  readonly path: string;
  readonly message: string;
}

/**
 * Finds the values that do not match the schema. Missing values are no problem while a form is being filled in. The gateway decides
 * in the end: only it checks patterns, rules between arguments, and numbers with all their digits.
 */
export function findProblems(schema: FormSchema, value: unknown): FormProblem[] {
  return rawErrors(schema, value)
    .filter(({ keyword, schemaPath }) => keyword !== 'required' && !/\/(anyOf|oneOf)\//.test(schemaPath))
    .filter(({ instancePath }) => (valueAt(value, instancePath) ?? null) !== null)
    .map((error) => ({ path: error.instancePath, message: toMessage(error) }));
}

/** The index of the option that a value belongs to: a matching option, else the most similar one, else the first. */
export function matchOption(options: readonly FormSchema[], value: unknown, root: FormSchema): number {
  const matching = options.findIndex((option) => matches({ ...option, $defs: root.$defs }, value));
  if (matching >= 0 || value === undefined) return Math.max(matching, 0);
  const scores = options.map((option) => likeness(resolveReference(option, root), value, root));
  return scores.indexOf(Math.max(...scores));
}

function likeness(option: FormSchema, value: unknown, root: FormSchema): number {
  if (!isRecord(value)) return matches({ type: option.type ?? 'null' }, value) ? 1 : 0;
  const properties = Object.entries(option.properties ?? {}).filter(([name]) => Object.hasOwn(value, name));
  const constants = properties.map(([name, property]) => ({
    expected: resolveReference(property, root).const,
    found: value[name],
  }));
  if (constants.some(({ expected, found }) => expected !== undefined && expected !== found)) return 0;
  return (option.type === 'object' ? 1 : 0) + properties.length;
}

function matches(schema: FormSchema, value: unknown): boolean {
  try {
    return Check(roundNumbers(schema), value === undefined ? null : roundNumbers(value));
  } catch (cause) {
    // A schema that refers to itself without going deeper into the value never ends.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function rawErrors(schema: FormSchema, value: unknown): readonly RawError[] {
  try {
    const [, errors] = Errors(roundNumbers(schema), value === undefined ? {} : roundNumbers(value));
    return errors as unknown as readonly RawError[];
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

function toMessage({ keyword, params }: RawError): string {
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return texts.type([params.type].flat().map(kindOf));
    case 'format':
      return texts.format(describeKind({ type: 'string', format: String(params.format) }));
    case 'enum':
    case 'const':
      return texts.enum;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return texts[keyword](limit);
    case 'multipleOf':
      return texts.multipleOf(Number(params.multipleOf));
    case 'uniqueItems':
      return texts.uniqueItems;
    case 'anyOf':
    case 'oneOf':
      return texts.noAlternative;
    case 'additionalProperties':
      return texts.additionalProperties;
    default:
      return texts.other(safeText(keyword, 40));
  }
}

const kinds: ReadonlyMap<unknown, string> = new Map(Object.entries(texts.kinds));

function kindOf(type: unknown): string {
  return kinds.get(type) ?? texts.kinds.null;
}

function valueAt(value: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1);
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
      value,
    );
}
