import type { OAuthStore } from './oauth-store.ts';
import { createSingleFlight, type SingleFlight } from './single-flight.ts';

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
