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

/** Stores results that are too large to return whole, for reading in pages. Evicts the oldest results first. */
export interface LargeResults {
  add(callId: string, result: JsonObject): void;
  /** Undefined if the result was never stored or has been evicted. */
  page(callId: string, offset: number, length: number): ResultPage | undefined;
}

export interface LargeResultsOptions {
  /** The maximum number of characters of all results; 64 Mi by default. */
  readonly maxLength?: number;
}

export function createLargeResults({ maxLength = 64 * 1024 * 1024 }: LargeResultsOptions = {}): LargeResults {
  const kept = new Map<string, string>();
  let total = 0;
  return {
    add(callId, result) {
      const text = JSON.stringify(result);
      if (text.length > maxLength) return;
      kept.set(callId, text);
      total += text.length;
      for (const [oldest, oldText] of kept) {
        if (total <= maxLength) break;
        kept.delete(oldest);
        total -= oldText.length;
      }
    },
    page(callId, offset, length) {
      const text = kept.get(callId);
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
