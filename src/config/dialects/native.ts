import { nativeDefaults } from '../defaults.ts';
import type { DialectReader } from './dialect.ts';

/** Toolwharf's own words: `servers` and `toolbox`. Also what nothing else recognises, so that its keys are checked. */
export const nativeDialect: DialectReader = {
  name: 'native',
  defaults: nativeDefaults,
  recognises: () => true,
  translate: (document) => document,
};
