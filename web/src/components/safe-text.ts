import { toDisplayText } from '../../../src/policy/display-text.ts';

/**
 * Text from a server or a model, fit to be shown: what can't be seen, reorders a line or moves a cursor is written out, and what is
 * too long is cut with a word about it. One rule for the command line and the page.
 */
export function safeText(text: unknown, maxLength = 20_000): string {
  return toDisplayText(typeof text === 'string' ? text : String(text ?? ''), { maxLength });
}
