/** What the command needs is not there: no gateway runs, or its address can't be had. The message says what to do. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}
