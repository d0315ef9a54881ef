import { keyIdOf, type Sealer } from './sealer.ts';

/** A sealer whose key can be changed: it seals with the newest key and opens with the key that was used. */
export interface KeyRing extends Sealer {
  add(newest: Sealer): void;
}

export function createKeyRing(first: Sealer): KeyRing {
  const sealers = new Map([[first.keyId, first]]);
  let current = first;
  return {
    get keyId() {
      return current.keyId;
    },
    seal: (plain, context) => current.seal(plain, context),
    open: (sealed, context) => (sealers.get(keyIdOf(sealed) ?? '') ?? current).open(sealed, context),
    add(newest) {
      sealers.set(newest.keyId, newest);
      current = newest;
    },
  };
}
