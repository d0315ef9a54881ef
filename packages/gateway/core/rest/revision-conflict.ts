import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';

/** Makes a change. If somebody else changed the record meanwhile, the error contains it as `show` shows it now. */
export async function withCurrent<Result>(change: () => Promise<Result>, show: () => Promise<object>): Promise<Result> {
  try {
    return await change();
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.data.reason !== 'revision') throw cause;
    // A record that was removed has no revision.
    if (cause.data.revision === undefined) throw cause;
    const current = (await show()) as JsonObject;
    const data = { ...cause.data, revision: current.revision, current };
    throw new ToolwharfError(cause.code, cause.message, { cause, data });
  }
}
