import type { Dialect } from '../../../contract/settings/choices.ts';
import type { DialectDefaults } from '../../../contract/settings/defaults.ts';
import type { PathMap } from '../path-map.ts';
import type { PlainObject } from '../plain-data.ts';
import type { Finding, Path } from '../problems.ts';
import type { Environment } from '../references.ts';

/** The input and the reporting functions of a translation. Paths refer to the file. */
export interface TranslateContext {
  report(finding: Finding): void;
  warn(message: string): void;
  /** Records keys of the file that belong to another program and have no effect here. */
  ignore(keys: readonly Path[]): void;
  /** Maps paths of the native document to paths of the file. */
  readonly origins: PathMap;
  readonly env: Environment;
  /** The result is written to a file, so references must not be replaced by their values. */
  readonly keepReferences?: boolean;
  readonly file?: string;
}

/** Translates a file format to the native dialect. */
export interface DialectReader {
  readonly name: Dialect;
  readonly defaults: DialectDefaults;
  recognises(document: PlainObject): boolean;
  /** Translates a document to the native dialect. Copies values of a wrong type, which the native check reports. */
  translate(document: PlainObject, context: TranslateContext): PlainObject;
}
