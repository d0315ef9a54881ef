/** Passes on what is said, but not more often than it may: of what comes in between, the latest. */
export interface Pacer<Value> extends Disposable {
  say(value: Value): void;
}

export function createPacer<Value>(everyMs: number, pass: (value: Value) => void): Pacer<Value> {
  let timer: NodeJS.Timeout | undefined;
  let waiting: { readonly value: Value } | undefined;

  function onTime(): void {
    timer = undefined;
    const { value } = waiting ?? {};
    if (!waiting) return;
    waiting = undefined;
    say(value as Value);
  }

  function say(value: Value): void {
    if (timer) {
      waiting = { value };
      return;
    }
    timer = setTimeout(onTime, everyMs).unref();
    pass(value);
  }

  return { say, [Symbol.dispose]: () => clearTimeout(timer) };
}
