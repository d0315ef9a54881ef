import type { JsonWeight } from './weigh-json.ts';

/** Whether JSON has too many members of objects, or ten times as many elements of arrays. */
export function isTooWide({ members, values }: Pick<JsonWeight, 'members' | 'values'>, maxMembers: number): boolean {
  return members > maxMembers || values > maxMembers * valuesPerMember;
}

/** What was too wide, as the beginning of a sentence, with the limit. */
export function explainTooWide(what: string, maxMembers: number): string {
  return `${what} too many values: objects may have ${maxMembers} members, and arrays ${maxMembers * valuesPerMember} elements, of which numbers of more than 16 characters count as four (gateway.limits.maxBodyMembers)`;
}

/** The processor time that a request with this JSON may take. */
export function costMsOf({ members, values, bytes }: Pick<JsonWeight, 'members' | 'values' | 'bytes'>): number {
  return Math.min(members * msPerMember + values * msPerValue + bytes * msPerByte, maxCostMs);
}

/** Requests below this cost do not wait for their turn. */
export const cheapMs = 1;

/** Elements of arrays are cheaper than members of objects. */
const valuesPerMember = 10;
// What parsing, validating, hashing, recording and sending the arguments of a call takes, roughly.
const msPerMember = 0.004;
const msPerValue = 0.000_5;
const msPerByte = 0.000_002;
/** So that larger limits do not make callers wait for seconds. */
const maxCostMs = 50;
