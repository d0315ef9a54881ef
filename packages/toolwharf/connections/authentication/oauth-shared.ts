import type { OAuthStore } from './oauth-store.ts';

/** The state of sign-ins that all connections with one store share, by server key. */
export interface OAuthShared {
  readonly flights: SingleFlight;
  /** The sign-in URLs that people are being asked to open. */
  readonly promptUrls: Map<string, string>;
  /** When a person last declined or ignored a sign-in. */
  readonly declinedAt: Map<string, number>;
}

const sharedByStore = new WeakMap<OAuthStore, OAuthShared>();

/** Connections to one server share its tokens, so they also share the work of renewing them. */
export function sharedBy(store: OAuthStore): OAuthShared {
  const shared = sharedByStore.get(store) ?? {
    flights: createSingleFlight(),
    promptUrls: new Map(),
    declinedAt: new Map(),
  };
  sharedByStore.set(store, shared);
  return shared;
}

/** For this long after a person signed in or declined, no sign-in is requested automatically. */
export const restMs = 600_000;

/** Runs one task at a time per key and shares its outcome. */
export interface SingleFlight {
  /** The running task of the key. */
  current(key: string): Promise<void> | undefined;
  /** Starts the task, or joins the running one. */
  run(key: string, work: () => Promise<void>): Promise<void>;
}

export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Promise<void>>();
  return {
    current: (key) => flights.get(key),
    run(key, work) {
      const running = flights.get(key);
      if (running) return running;
      const flight = Promise.resolve()
        .then(work)
        .finally(() => flights.delete(key));
      flights.set(key, flight);
      // Callers that wait get the failure; without any it must not end the process.
      flight.catch(() => {});
      return flight;
    },
  };
}
