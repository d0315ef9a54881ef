import { AsyncLocalStorage } from 'node:async_hooks';
import { type KeyObject, sign, verify } from 'node:crypto';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';

/** A change of permissions, signed by the process that made it. */
export interface SignedAct {
  /** Such as `key.added` or `rule.removed`. */
  readonly act: string;
  /** The key, rule or approval, such as `key/ID`; `journal` for the journal itself. */
  readonly subject: string;
  /** The hash of the subject after the act; undefined if it was removed or is not tracked. */
  readonly hash?: string;
  /** The person or program that acted, if known. */
  readonly actor?: string;
  readonly details?: JsonObject;
  readonly at: string;
  /** Ed25519 over the other members, in base64. */
  readonly signature?: string;
}

/** Steps of the journal with this prefix are acts, the others are calls. */
export const actPrefix = 'act:';

const actors = new AsyncLocalStorage<string>();

/** Runs work on behalf of a person or program: acts within it name the actor. */
export function actAs<Value>(actor: string, work: () => Value): Value {
  return actors.run(actor, work);
}

/** The actor of the work that runs now. */
export function currentActor(): string | undefined {
  return actors.getStore();
}

/** Signs the members of an object; the signature becomes a member. */
export function signObject<Item extends object>(item: Item, key: KeyObject): Item & { readonly signature: string } {
  return { ...item, signature: sign(null, Buffer.from(canonicalJson(item)), key).toString('base64') };
}

/** Whether an object has a valid signature of the key. */
export function hasValidSignature(item: unknown, key: KeyObject): boolean {
  if (!isObject(item) || typeof item.signature !== 'string') return false;
  const { signature, ...rest } = item;
  return verify(null, Buffer.from(canonicalJson(rest)), key, Buffer.from(String(signature), 'base64'));
}
