import { ErrorSchemaBuilder, type RJSFSchema, type RJSFValidationError, type ValidatorType } from '@rjsf/utils';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { safeText } from '../safe-text.ts';
import { describeKind } from './describe-kind.ts';

// Alternatives that were not meant use up errors too.
Settings.Set({ maxErrors: 200 });

interface RawError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Checks what is filled in while it is being filled in, without code made at run time, which the page's policy forbids. The gateway
 * has the last word: patterns and rules between fields are only checked there.
 */
export const validator: ValidatorType = {
  validateFormData(formData, schema, _customValidate, transformErrors, uiSchema) {
    const found = findProblems(schema, formData).map(({ path, message, name }) => ({
      name,
      message,
      property: path.map((part) => `.${part}`).join(''),
      stack: message,
      params: { path },
    }));
    const errors: RJSFValidationError[] = transformErrors ? transformErrors(found, uiSchema) : found;
    const builder = new ErrorSchemaBuilder();
    for (const { message = '', params } of errors) builder.addErrors(message, [...(params?.path ?? [])]);
    return { errors, errorSchema: builder.ErrorSchema };
  },
  isValid: (schema, formData, rootSchema) => check(withDefinitions(schema, rootSchema), formData),
  rawValidation: (schema, formData) => ({ errors: [...rawErrors(schema, formData)] as never[] }),
};

/** Something that does not fit its schema. */
export interface FormProblem {
  /** The keyword it breaks. */
  readonly name: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** What does not fit, each at its place. What is still missing is not told: who fills in a form knows. */
export function findProblems(schema: RJSFSchema, value: unknown): FormProblem[] {
  return (
    rawErrors(schema, value)
      .filter(({ keyword, schemaPath }) => keyword !== 'required' && !/\/(anyOf|oneOf)\//.test(schemaPath))
      .map((error) => ({ name: error.keyword, path: pathOf(error.instancePath), message: messageOf(error) }))
      // `null` is chosen on purpose, and only where it is allowed.
      .filter(({ path }) => valueAt(value, path) !== null)
  );
}

function check(schema: RJSFSchema, value: unknown): boolean {
  try {
    return Check(schema, value === undefined ? null : value);
  } catch (cause) {
    // A schema that leads back to itself without going into the value has no answer.
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

function rawErrors(schema: RJSFSchema, value: unknown): readonly RawError[] {
  try {
    const [, errors] = Errors(schema, value === undefined ? {} : value);
    return errors as unknown as readonly RawError[];
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

function withDefinitions(schema: RJSFSchema, { $defs }: RJSFSchema): RJSFSchema {
  return $defs ? { ...schema, $defs } : schema;
}

/** The parts of a JSON pointer. */
export function pathOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function messageOf({ keyword, params }: RawError): string {
  switch (keyword) {
    case 'type':
      return `This must be ${[params.type].flat().map(kindOf).join(' or ')}`;
    case 'format':
      return `This must be a valid ${describeKind({ type: 'string', format: String(params.format) })}`;
    case 'enum':
    case 'const':
      return 'This is none of the choices';
    case 'minimum':
      return `This must be at least ${safeText(params.limit, 40)}`;
    case 'maximum':
      return `This must be at most ${safeText(params.limit, 40)}`;
    case 'exclusiveMinimum':
      return `This must be more than ${safeText(params.limit, 40)}`;
    case 'exclusiveMaximum':
      return `This must be less than ${safeText(params.limit, 40)}`;
    case 'multipleOf':
      return `This must be a multiple of ${safeText(params.multipleOf, 40)}`;
    case 'minLength':
      return `This needs at least ${safeText(params.limit, 20)} characters`;
    case 'maxLength':
      return `This may have at most ${safeText(params.limit, 20)} characters`;
    case 'minItems':
      return `This needs at least ${safeText(params.limit, 20)} items`;
    case 'maxItems':
      return `This may have at most ${safeText(params.limit, 20)} items`;
    case 'uniqueItems':
      return 'No item may be there twice';
    case 'anyOf':
    case 'oneOf':
      return 'This fits none of the kinds that are allowed';
    case 'additionalProperties':
      return 'There are properties that are not allowed';
    default:
      return `This does not fit (${safeText(keyword, 40)})`;
  }
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
]);

function kindOf(type: unknown): string {
  return kinds.get(type) ?? 'null';
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, part) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined),
    value,
  );
}
