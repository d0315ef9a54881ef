/** The command was given something it can't work with; the message says what it takes. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
