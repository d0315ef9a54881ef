/** An id that can be pointed to from lists of ids: names of arguments may have spaces in them. */
export function domId(id: string): string {
  return id.replaceAll(/\s/g, '_');
}

export function hintId(id: string): string {
  return `${domId(id)}-hint`;
}

export function errorId(id: string): string {
  return `${domId(id)}-error`;
}
