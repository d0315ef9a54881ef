/** Emits values at a limited rate: the first immediately, then the latest value of each interval. */
export interface Pacer<Value> {
  push(value: Value): void;
}

export function createPacer<Value>(intervalMs: number, pass: (value: Value) => void): Pacer<Value> {
  let timer: NodeJS.Timeout | undefined;
  let latest: { readonly value: Value } | undefined;

  function push(value: Value): void {
    if (timer) {
      latest = { value };
      return;
    }
    timer = setTimeout(onInterval, intervalMs).unref();
    pass(value);
  }

  function onInterval(): void {
    timer = undefined;
    const waiting = latest;
    latest = undefined;
    if (waiting) push(waiting.value);
  }

  return { push };
}
