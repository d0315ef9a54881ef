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
  add(callId: string, caller: string, result: JsonObject): void;
  /** Undefined if the result was never stored or has been evicted. */
  page(callId: string, offset: number, length: number): ResultPage | undefined;
}

export interface LargeResultsOptions {
  /** The maximum number of characters of all results, and of the results of one caller; 64 Mi by default. */
  readonly limits?: () => { readonly total: number; readonly perCaller: number };
}

const maxLength = 64 * 1024 * 1024;

export function createLargeResults(options: LargeResultsOptions = {}): LargeResults {
  const { limits = () => ({ total: maxLength, perCaller: maxLength }) } = options;
  // Oldest first.
  const stored = new Map<string, { readonly text: string; readonly caller: string }>();
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
      change(caller, -result.text.length);
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
    add(callId, caller, result) {
      const text = JSON.stringify(result);
      const { total: max, perCaller } = limits();
      if (text.length > Math.min(max, perCaller)) return;
      stored.set(callId, { text, caller });
      change(caller, text.length);
      while ((lengths.get(caller) ?? 0) > perCaller) deleteOldest(caller);
      while (total > max) deleteOldest(largest());
    },
    page(callId, offset, length) {
      const text = stored.get(callId)?.text;
      if (text === undefined) return undefined;
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
