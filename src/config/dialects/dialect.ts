import type { Dialect } from '../config.ts';
import type { DialectDefaults } from '../defaults.ts';
import type { PathMap } from '../path-map.ts';
import type { PlainObject } from '../plain-data.ts';
import type { Finding } from '../problems.ts';
import type { Environment } from '../references.ts';

/** What a dialect is told, and where it says what it noticed. Paths are those of the file as written. */
export interface TranslateContext {
  report(finding: Finding): void;
  warn(message: string): void;
  /** From paths of the native document to paths of the file. */
  readonly origins: PathMap;
  readonly env: Environment;
  /** The outcome will be written to a file: variables must not be replaced by their values. */
  readonly keepReferences?: boolean;
  readonly file?: string;
}

/** One way of writing a configuration, told in the words of the native one. */
export interface DialectReader {
  readonly name: Dialect;
  readonly defaults: DialectDefaults;
  recognises(document: PlainObject): boolean;
  /** The same configuration as a native document. Values of a wrong type go through: the native check reports them. */
  translate(document: PlainObject, context: TranslateContext): PlainObject;
}
