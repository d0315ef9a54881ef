import type { Naming } from './config.ts';

/** What a dialect assumes where the file says nothing. */
export interface DialectDefaults {
  readonly required: boolean;
  readonly naming: Naming;
  readonly maxInstances: number;
  /** Plain http to another machine: an error when the file is loaded, or a warning and a refusal to connect. */
  readonly insecureUrl: 'error' | 'warning';
  readonly prompts?: readonly string[];
  readonly localToolsMustBeConfigured: boolean;
  /** A strict server's default limits are written but never used. */
  readonly strictIgnoresDefaults: boolean;
}

/** Toolwharf's own defaults. */
export const nativeDefaults: DialectDefaults = {
  required: false,
  naming: 'mcp',
  maxInstances: 64,
  insecureUrl: 'error',
  localToolsMustBeConfigured: false,
  strictIgnoresDefaults: false,
};
