import type { JsonObject } from '../kernel/json.ts';

export interface ResultPage {
  /** This part of the result's JSON. */
  readonly text: string;
  readonly offset: number;
  readonly totalLength: number;
  /** Where the next page starts; undefined on the last. */
  readonly nextOffset?: number;
}

/** Results that were too big to hand out whole, for reading in pages. The oldest go first when space runs out. */
export interface LargeResults {
  add(callId: string, result: JsonObject): void;
  /** Undefined when it was never kept or had to go. */
  page(callId: string, offset: number, length: number): ResultPage | undefined;
}

export interface LargeResultsOptions {
  /** Characters over all results; 64 Mi. */
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
        ...(end < text.length && { nextOffset: end }),
      };
    },
  };
}
