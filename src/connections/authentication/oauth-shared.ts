import type { OAuthStore } from './oauth-store.ts';
import { createSingleFlight, type SingleFlight } from './single-flight.ts';

/** What all connections that share a store know of each other's sign-ins, by server key. */
export interface OAuthShared {
  readonly flights: SingleFlight;
  /** The addresses people are being asked at. */
  readonly asking: Map<string, string>;
  /** When a person was last asked in vain. */
  readonly declinedAt: Map<string, number>;
}

const sharedByStore = new WeakMap<OAuthStore, OAuthShared>();

/** Two connections to one server share its tokens, so they also share the work of renewing them. */
export function sharedBy(store: OAuthStore): OAuthShared {
  const shared = sharedByStore.get(store) ?? {
    flights: createSingleFlight(),
    asking: new Map(),
    declinedAt: new Map(),
  };
  sharedByStore.set(store, shared);
  return shared;
}

/** After a person signed in, or declined to, the same question is not put again by itself for this long. */
export const restMs = 600_000;
