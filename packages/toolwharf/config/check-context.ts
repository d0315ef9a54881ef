import type { Dialect } from '../../contract/settings/choices.ts';
import type { DialectDefaults } from '../../contract/settings/defaults.ts';
import type { PathMap } from './path-map.ts';
import type { Finding, Path } from './problems.ts';
import type { Environment } from './references.ts';

/** The input and the reporting functions of the check of a native document. */
export interface CheckContext {
  report(finding: Finding): void;
  warn(message: string): void;
  /** Maps canonical keys to the keys in the original spelling. */
  readonly written: PathMap;
  /** Formats a path of the native document as it is written in the file. */
  pathInFile(path: Path): string;
  readonly dialect: Dialect;
  readonly defaults: DialectDefaults;
  readonly env: Environment;
  /** The directory that relative paths start from: that of the file, or the working directory. */
  readonly directory: string;
  /** The names of transports that plugins of the program add. */
  readonly transports: readonly string[];
}
