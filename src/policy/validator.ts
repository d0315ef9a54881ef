import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';

/** A subschema in words the validator knows, made by us. */
export type SafeSchema = boolean | { readonly [keyword: string]: unknown };

/** What `{ $ref: name }` means, by name. */
export type Definitions = Readonly<Record<string, SafeSchema>>;

/** What the validator says about a value that does not fit. */
export interface RawError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** More than a reader needs, so that what is left out can be counted. */
const maxErrors = 1000;

/** A fast test, as code made for this schema. Where that would nest too deeply for the engine, the schema is walked instead. */
export function compileTest(definitions: Definitions, name: string): (value: unknown) => boolean {
  const root = rootOf(name);
  try {
    const compiled = Compile(definitions, root);
    return (value) => compiled.Check(value);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return (value) => test(definitions, name, value);
  }
}

/** The same test by walking the schema. */
export function test(definitions: Definitions, name: string, value: unknown): boolean {
  return Check(definitions, rootOf(name), value);
}

/** Everything that is wrong with a value, up to a bound. */
export function findErrors(definitions: Definitions, name: string, value: unknown): readonly RawError[] {
  // The library's bound is one setting for the whole process: put back before anyone else can run.
  const before = Settings.Get().maxErrors;
  Settings.Set({ maxErrors });
  try {
    const [, errors] = Errors(definitions, rootOf(name), value);
    return errors as unknown as readonly RawError[];
  } finally {
    Settings.Set({ maxErrors: before });
  }
}

/** With `$schema` the library takes the names as they are instead of searching the whole schema for each. */
function rootOf(name: string): { readonly $schema: string; readonly $ref: string } {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: name };
}
