import { isObject } from '../../../contract/json.ts';

/** The strings of a claim, one or a list. `realm_access.roles` means a claim of that exact name, or else `roles` in `realm_access`. */
export function readClaim(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  return [findClaim(claims, name)].flat().filter((text) => typeof text === 'string');
}

/** Whether there is a claim of this name, even if it is empty. */
export function hasClaim(claims: Readonly<Record<string, unknown>>, name: string): boolean {
  return findClaim(claims, name) !== undefined;
}

function findClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}
