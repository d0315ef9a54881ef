import type { RefObject } from 'react';

let lastId = 0;

/** A new id for a line of a form, stable while other lines come and go. */
export function nextId(): number {
  lastId += 1;
  return lastId;
}

/** Focuses the line that was just added, once. */
export function focusOnce(input: HTMLInputElement | null, id: number, added: RefObject<number | undefined>): void {
  if (!input || added.current !== id) return;
  added.current = undefined;
  input.focus();
}
