import type { Terminal } from './terminal.ts';

export interface ConfirmOptions {
  readonly signal?: AbortSignal;
  /** The answer for an empty line; without one, the question is repeated. */
  readonly fallback?: boolean;
}

/** Asks a yes/no question until the answer is clear; undefined if the input ends or the signal aborts. */
export async function confirm(
  terminal: Pick<Terminal, 'ask'>,
  question: string,
  { signal, fallback }: ConfirmOptions,
): Promise<boolean | undefined> {
  const keys = fallback === undefined ? 'y/n' : fallback ? 'Y/n' : 'y/N';
  for (;;) {
    const answer = (await terminal.ask(`${question} [${keys}] `, signal))?.trim().toLowerCase();
    if (answer === undefined) return undefined;
    if (answer === '' && fallback !== undefined) return fallback;
    if (answer === 'y' || answer === 'yes') return true;
    if (answer === 'n' || answer === 'no') return false;
  }
}
