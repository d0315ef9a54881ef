/** Whether this is the long run of `npm run test:faults`. */
export const isFull = process.env.FAULTS === 'full';

/** How much of something: little in every test run, much in the long one. */
export function scaled(short: number, full: number): number {
  return isFull ? full : short;
}
