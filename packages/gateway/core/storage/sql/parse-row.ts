import { ToolwharfError } from '../../../../contract/errors.ts';

/** Parses a column of a row. A malformed value is reported with its row, so that a person can find it. */
export function parseRow<Value>(table: string, id: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    const message = `The row '${id}' of the table ${table} is malformed`;
    // A secret that cannot be opened says why.
    if (cause instanceof ToolwharfError)
      throw new ToolwharfError(cause.code, `${message}: ${cause.message}`, { cause, data: cause.data });
    throw new ToolwharfError('STORAGE_UNAVAILABLE', message, { cause, data: { isMalformed: true } });
  }
}

export function isMalformedRow(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.data.isMalformed === true;
}
