let last = 0;

/** An id for a line of a form, which stays with it while others come and go. */
export function nextId(): number {
  last += 1;
  return last;
}
