import { formatNumber } from '../text/formats.ts';
/** A count with its noun: "1 call", "1,204 calls". */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}
