import { type ErrorCode, messageOf, ToolwharfError } from '../../../contract/errors.ts';

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
  return new ToolwharfError(code, `The database could not be used: ${messageOf(cause)}`, { cause });
}
