import type { JsonObject } from '../kernel/json.ts';

/** One page of a large result. */
export interface ResultPage {
  /** This page of the result's JSON. */
  readonly text: string;
  readonly offset: number;
  readonly totalLength: number;
  /** The offset of the next page; undefined on the last page. */
  readonly nextOffset?: number;
}

/** Stores results that are too large to return whole, for reading in pages. Deletes the oldest results of the caller with the most. */
export interface LargeResults {
  /** `bytes` is the approximate size of the result as JSON. */
  add(callId: string, caller: string, result: JsonObject, bytes: number): void;
  /** Undefined if the result was never stored or has been evicted. */
  page(callId: string, offset: number, length: number): ResultPage | undefined;
}

export interface LargeResultsOptions {
  /** The maximum size of all results in bytes, and of the results of one caller; 64 MiB by default. */
  readonly limits?: () => { readonly total: number; readonly perCaller: number };
}

const maxBytes = 64 * 1024 * 1024;

interface Stored {
  readonly caller: string;
  readonly bytes: number;
  /** Undefined once it is serialized. */
  result: JsonObject | undefined;
  text: string | undefined;
}

export function createLargeResults(options: LargeResultsOptions = {}): LargeResults {
  const { limits = () => ({ total: maxBytes, perCaller: maxBytes }) } = options;
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

  function deleteOldest(caller: string): void {
    for (const [id, result] of stored) {
      if (result.caller !== caller) continue;
      stored.delete(id);
      change(caller, -result.bytes);
      return;
    }
  }

  /** The caller whose results need most space. */
  function largest(): string {
    let [found, most] = ['', 0];
    for (const [caller, length] of lengths) if (length > most) [found, most] = [caller, length];
    return found;
  }

  return {
    add(callId, caller, result, bytes) {
      const { total: max, perCaller } = limits();
      if (bytes > Math.min(max, perCaller)) return;
      // Serialized on the first read: most stored results are never read, and serializing one stalls the process.
      stored.set(callId, { caller, bytes, result, text: undefined });
      change(caller, bytes);
      while ((lengths.get(caller) ?? 0) > perCaller) deleteOldest(caller);
      while (total > max) deleteOldest(largest());
    },
    page(callId, offset, length) {
      const found = stored.get(callId);
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
  stored.text ??= JSON.stringify(stored.result);
  stored.result = undefined;
  return stored.text;
}
