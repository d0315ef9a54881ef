/** Calls code of the program that uses the library. Its exception, or the rejection of its promise, reaches only `onError`. */
export function notify(callback: () => unknown, onError: (cause: unknown) => void = () => {}): void {
  try {
    const returned = callback();
    // Listeners may be async functions.
    if (typeof returned === 'object' && returned !== null && 'then' in returned)
      Promise.resolve(returned).catch(onError);
  } catch (cause) {
    onError(cause);
  }
}
