import { nativeDefaults } from '../../../contract/settings/defaults.ts';
import type { DialectReader } from './dialect.ts';

/**
 * The native dialect: `servers` and `toolbox`. Also handles files that no other dialect recognises, so that their keys
 * are checked.
 */
export const nativeDialect: DialectReader = {
  name: 'native',
  defaults: nativeDefaults,
  recognises: () => true,
  translate: (document) => document,
};
