const prefix = 'user:';

/** The caller id of a signed-in person. */
export function userCallerId(user: string): string {
  return `${prefix}${user}`;
}

/** The user whose caller id this is; undefined for other callers. */
export function userOf(callerId: string): string | undefined {
  return callerId.startsWith(prefix) ? callerId.slice(prefix.length) : undefined;
}
