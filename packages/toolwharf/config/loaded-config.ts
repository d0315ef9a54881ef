import type { ToolwharfError } from '../../contract/errors.ts';
import type { Config } from '../../contract/settings/config.ts';
import type { Finding, Problem } from './problems.ts';

/** A checked configuration and its source. */
export interface LoadedConfig {
  readonly config: Config;
  /** The absolute path of the file. */
  readonly file?: string;
  /** Hash of the file content. `watchConfig` compares it to detect changes. */
  readonly contentHash?: string;
  readonly warnings: readonly string[];
  /** What the file has that is not used, such as keys of another program. */
  readonly notes?: readonly string[];
  /** The `${VAR}` and `${file:…}` values that have no value now. */
  readonly unset?: readonly UnsetProblem[];
  /** Whether there is no configuration, so that the default servers are used. */
  readonly isDefault?: boolean;
  /** Creates the error for problems that are found later, when plugins are loaded or features start, with their positions in the file. */
  readonly toError?: (findings: readonly Finding[]) => ToolwharfError;
}

/** A reference without a value, with its position in the file. */
export interface UnsetProblem {
  readonly problem: Problem;
  /** Undefined for a setting of the gateway, which cannot work without the value. */
  readonly server?: string;
}
