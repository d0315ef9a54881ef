import { replaceEqualDeep } from '@tanstack/react-query';
import { hasRawNumbers } from '../../../contract/exact-json.ts';

/** The earlier parts of an answer that did not change. Raw numbers are not plain objects, so an answer with such numbers is kept as a whole. */
export function keepEqual(before: unknown, after: unknown): unknown {
  if (!hasRawNumbers(before) && !hasRawNumbers(after)) return replaceEqualDeep(before, after);
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}
