import type { ToolwharfError } from '../kernel/errors.ts';
import type { Config } from './config.ts';
import type { Finding } from './problems.ts';

/** A checked configuration and its source. */
export interface LoadedConfig {
  readonly config: Config;
  /** The absolute path of the file. */
  readonly file?: string;
  /** Hash of the file content. `watchConfig` compares it to detect changes. */
  readonly contentHash?: string;
  readonly warnings: readonly string[];
  /** Whether there is no configuration, so that the default servers are used. */
  readonly isDefault?: boolean;
  /** Creates the error for problems that are found later, when plugins are loaded, with their positions in the file. */
  readonly toError?: (findings: readonly Finding[]) => ToolwharfError;
}
