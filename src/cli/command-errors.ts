/** The command line is not valid; the message says what is expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Something the command needs is unavailable, such as a running gateway; the message says what to do. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}
