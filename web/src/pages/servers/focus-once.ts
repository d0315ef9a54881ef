import type { RefObject } from 'react';

/** Puts the focus into the line that was just added, and leaves it alone after that. */
export function focusOnce(input: HTMLInputElement | null, id: number, added: RefObject<number | undefined>): void {
  if (!input || added.current !== id) return;
  added.current = undefined;
  input.focus();
}
