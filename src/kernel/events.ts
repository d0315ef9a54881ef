/** A typed publisher. Listeners run in order of registration; one that throws never stops the others or the publisher. */
export interface Events<Map extends object> {
  /** Returns the function that ends the subscription. */
  on<Name extends keyof Map>(name: Name, listener: (event: Map[Name]) => void): () => void;
  emit<Name extends keyof Map>(name: Name, event: Map[Name]): void;
}

export interface EventsOptions {
  /** Called when a listener throws. */
  readonly onListenerError?: (cause: unknown) => void;
}

export function createEvents<Map extends object>(options: EventsOptions = {}): Events<Map> {
  const listeners = new globalThis.Map<keyof Map, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      // Each subscription is its own entry, so registering one function twice and ending one keeps the other.
      const entry = (event: never) => listener(event);
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(entry));
      return () => void set.delete(entry);
    },
    emit(name, event) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(event as never);
        } catch (cause) {
          options.onListenerError?.(cause);
        }
      }
    },
  };
}
