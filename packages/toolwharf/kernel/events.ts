import { notify } from './notify.ts';

/** A typed publisher. Listeners run in order of registration; one that throws or rejects never stops the others or the publisher. */
export interface Events<Map extends object> {
  /** Returns the function that ends the subscription. */
  on<Name extends keyof Map>(name: Name, listener: (event: Map[Name]) => void): () => void;
  emit<Name extends keyof Map>(name: Name, event: Map[Name]): void;
}

export interface EventsOptions {
  /** Called when a listener throws or rejects. */
  readonly onListenerError?: (cause: unknown) => void;
}

export function createEvents<Map extends object>(options: EventsOptions = {}): Events<Map> {
  // Replaced at each subscription, never changed, so that publishing needs no copy.
  const listeners = new globalThis.Map<keyof Map, readonly Entry[]>();
  return {
    on(name, listener) {
      // Each subscription is its own entry, so registering one function twice and ending one keeps the other.
      const entry: Entry = { listener };
      listeners.set(name, [...(listeners.get(name) ?? []), entry]);
      return () => {
        const others = listeners.get(name)?.filter((known) => known !== entry);
        if (others) listeners.set(name, others);
      };
    },
    emit(name, event) {
      const entries = listeners.get(name);
      if (!entries) return;
      for (const { listener } of entries) notify(() => listener(event as never), options.onListenerError);
    },
  };
}

interface Entry {
  readonly listener: (event: never) => void;
}
