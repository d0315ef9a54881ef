/** Whether this is the long run of `npm run test:faults`. */
export const isFull = process.env.FAULTS === 'full';

/** Selects the amount for the short or the full run. */
export function scaled(short: number, full: number): number {
  return isFull ? full : short;
}
