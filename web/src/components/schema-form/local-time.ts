/** A moment in the words of a `datetime-local` input, in this machine's time; undefined for what is no moment. */
export function toLocalTime(moment: string): string | undefined {
  const date = new Date(moment);
  if (moment === '' || Number.isNaN(date.getTime())) return undefined;
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** The moment that is meant by the text of a `datetime-local` input. */
export function fromLocalTime(local: string): string | undefined {
  const date = new Date(local);
  if (local === '' || Number.isNaN(date.getTime())) return undefined;
  return date.toISOString().replace('.000Z', 'Z');
}
