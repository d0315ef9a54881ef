import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';

/** A translated subschema with keywords of the validator. */
export type SafeSchema = boolean | { readonly [keyword: string]: unknown };

/** Targets of `{ $ref: name }` by name. */
export type Definitions = Readonly<Record<string, SafeSchema>>;

/** An error of the validator. */
export interface RawError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** More errors than are shown, so that the rest can be counted. */
const maxErrors = 1000;

/** Compiles a fast test. A schema that nests too deeply for the JavaScript engine is interpreted instead. */
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

/** The same test by interpreting the schema. */
export function test(definitions: Definitions, name: string, value: unknown): boolean {
  return Check(definitions, rootOf(name), value);
}

/** All errors of a value, up to a limit. */
export function findErrors(definitions: Definitions, name: string, value: unknown): readonly RawError[] {
  // The library's limit is global: it is restored before other code can run.
  const before = Settings.Get().maxErrors;
  Settings.Set({ maxErrors });
  try {
    const [, errors] = Errors(definitions, rootOf(name), value);
    return errors as unknown as readonly RawError[];
  } finally {
    Settings.Set({ maxErrors: before });
  }
}

/** With `$schema` the library looks up names directly instead of searching the whole schema. */
function rootOf(name: string): { readonly $schema: string; readonly $ref: string } {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: name };
}
