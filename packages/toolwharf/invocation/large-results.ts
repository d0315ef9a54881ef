import type { JsonObject } from '../../contract/json.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { parseJson, toJsonText } from '../kernel/exact-json.ts';

/** One page of a large result. */
export interface ResultPage {
  /** This page of the result's JSON. */
  readonly text: string;
  readonly offset: number;
  readonly totalLength: number;
  /** The offset of the next page; undefined on the last page. */
  readonly nextOffset?: number;
}

/** A whole result that its caller may read. */
export interface StoredResult {
  readonly result: JsonObject;
  /** The approximate size of the result as JSON. */
  readonly bytes: number;
}

/**
 * Stores results that callers get by reference or truncated. A result is deleted when it expires, or when there are too many:
 * then the oldest of the caller with the most.
 */
export interface LargeResults {
  /** `bytes` is the approximate size of the result as JSON. */
  add(id: string, caller: string, result: JsonObject, bytes: number): void;
  /** Undefined if the result is not stored. */
  page(id: string, offset: number, length: number): ResultPage | undefined;
  /** Undefined if the result is not stored or belongs to another caller. */
  find(id: string, caller: string): StoredResult | undefined;
}

export interface LargeResultsOptions {
  /** The maximum size of all results in bytes, and of the results of one caller; 64 MiB by default. */
  readonly limits?: () => { readonly total: number; readonly perCaller: number };
  /** How long a result is stored; 3 600 000. */
  readonly maxAgeMs?: number;
  readonly clock?: Pick<Clock, 'now'>;
}

const maxBytes = 64 * 1024 * 1024;

interface Stored {
  readonly caller: string;
  readonly bytes: number;
  readonly expiresAt: number;
  /** Undefined once it is serialized. */
  result: JsonObject | undefined;
  text: string | undefined;
}

export function createLargeResults(options: LargeResultsOptions = {}): LargeResults {
  const {
    limits = () => ({ total: maxBytes, perCaller: maxBytes }),
    maxAgeMs = 3_600_000,
    clock = systemClock,
  } = options;
  // Oldest first.
  const stored = new Map<string, Stored>();
  const lengths = new Map<string, number>();
  let total = 0;

  function change(caller: string, difference: number): void {
    const length = (lengths.get(caller) ?? 0) + difference;
    total += difference;
    if (length > 0) lengths.set(caller, length);
    else lengths.delete(caller);
  }

  function remove(id: string): void {
    const found = stored.get(id);
    if (!found) return;
    stored.delete(id);
    change(found.caller, -found.bytes);
  }

  function deleteOldest(caller: string): void {
    for (const [id, result] of stored) {
      if (result.caller !== caller) continue;
      remove(id);
      return;
    }
  }

  function deleteExpired(): void {
    const now = clock.now();
    for (const [id, { expiresAt }] of stored) {
      if (expiresAt > now) return;
      remove(id);
    }
  }

  /** The caller whose results need most space. */
  function largest(): string {
    let [found, most] = ['', 0];
    for (const [caller, length] of lengths) if (length > most) [found, most] = [caller, length];
    return found;
  }

  return {
    add(id, caller, result, bytes) {
      deleteExpired();
      remove(id);
      const { total: max, perCaller } = limits();
      if (bytes > Math.min(max, perCaller)) return;
      // Serialized on the first read: most stored results are never read, and serializing one stalls the process.
      stored.set(id, { caller, bytes, expiresAt: clock.now() + maxAgeMs, result, text: undefined });
      change(caller, bytes);
      while ((lengths.get(caller) ?? 0) > perCaller) deleteOldest(caller);
      while (total > max) deleteOldest(largest());
    },
    find(id, caller) {
      deleteExpired();
      const found = stored.get(id);
      if (found?.caller !== caller) return undefined;
      return { result: found.result ?? (parseJson(found.text ?? '') as JsonObject), bytes: found.bytes };
    },
    page(id, offset, length) {
      deleteExpired();
      const found = stored.get(id);
      if (!found) return undefined;
      const text = textOf(found);
      const end = Math.min(text.length, offset + length);
      return {
        text: text.slice(offset, end),
        offset,
        totalLength: text.length,
        nextOffset: end < text.length ? end : undefined,
      };
    },
  };
}

function textOf(stored: Stored): string {
  stored.text ??= toJsonText(stored.result);
  stored.result = undefined;
  return stored.text;
}
