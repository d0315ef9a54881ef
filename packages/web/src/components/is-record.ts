import { isRawNumber } from '../../../contract/exact-json.ts';

/** Whether something is an object with properties, not an array and not a number. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
