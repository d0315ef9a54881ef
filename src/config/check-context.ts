import type { Dialect } from './config.ts';
import type { DialectDefaults } from './defaults.ts';
import type { PathMap } from './path-map.ts';
import type { Finding } from './problems.ts';
import type { Environment } from './references.ts';

/** What checking a native document needs to know, and where it says what it noticed. */
export interface CheckContext {
  report(finding: Finding): void;
  warn(message: string): void;
  /** From canonical keys to the keys as they were written. */
  readonly written: PathMap;
  readonly dialect: Dialect;
  readonly defaults: DialectDefaults;
  readonly env: Environment;
}
