import { ConnectionError, ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';

/** True where a request surely never reached the server, because its session is gone: it may be sent again, whatever it does. */
export function neverArrived(cause: unknown): cause is ToolwharfError {
  if (!(cause instanceof ToolwharfError) || cause.data.reached !== false) return false;
  if (cause.code === 'SERVER_UNREACHABLE') return cause.data.network !== undefined;
  return cause.code === 'SERVER_DISCONNECTED' && (cause.data.httpStatus === undefined || cause.data.httpStatus === 404);
}

/** A kept-alive socket may end under a request just sent. What changes nothing when read is simply read again. */
export async function againIfCut(read: () => Promise<JsonObject>): Promise<JsonObject> {
  return read().catch((cause) => {
    const isCut =
      cause instanceof ConnectionError && cause.code === 'SERVER_DISCONNECTED' && cause.data.reached === true;
    if (!isCut || cause.data.httpStatus !== undefined) throw cause;
    return read();
  });
}
