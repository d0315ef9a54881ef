import { type ErrorCode, messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';

/** Wraps a store and translates driver errors to `ToolwharfError`, so that callers branch on one code. */
export function translateErrors<Store extends object>(store: Store, code: ErrorCode): Store {
  const translated = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (cause) {
        throw toStorageError(cause, code);
      }
    },
  ]);
  return Object.fromEntries(translated) as Store;
}

/** The same for an iteration. */
export async function* translateIteration<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    throw toStorageError(cause);
  }
}

/** Translates a driver's error; a `ToolwharfError` is returned unchanged. */
export function toStorageError(cause: unknown, code: ErrorCode = 'STORAGE_UNAVAILABLE'): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  if (isObject(cause) && unstorable.has(cause.code)) {
    const message = 'A text has the character U+0000, which the database cannot store: leave it out';
    return new ToolwharfError('REQUEST_INVALID', message, { cause });
  }
  return new ToolwharfError(code, `The database could not be used: ${messageOf(cause)}`, { cause });
}

/** What Postgres answers to a text or JSON with the character U+0000. */
const unstorable: ReadonlySet<unknown> = new Set(['22021', '22P05']);
