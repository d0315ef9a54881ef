import { type ErrorCode, messageOf, ToolwharfError } from '../kernel/errors.ts';

/** The store with its drivers' errors as ours: callers branch on one code, whatever the database is. */
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

/** The same for what is read piece by piece. */
export async function* translateIteration<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    throw toStorageError(cause);
  }
}

/** A driver's error as ours; one that is ours already stays. */
export function toStorageError(cause: unknown, code: ErrorCode = 'STORAGE_UNAVAILABLE'): ToolwharfError {
  if (cause instanceof ToolwharfError) return cause;
  return new ToolwharfError(code, `The database could not be used: ${messageOf(cause)}`, { cause });
}
