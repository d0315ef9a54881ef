export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

export interface JsonMeasure {
  /** Bytes as JSON text without counting escapes; only a lower bound once something was exceeded. */
  readonly bytes: number;
  /** The first bound that was passed. */
  readonly exceeded?: 'bytes' | 'depth';
}

/** The size of a JSON value, found by walking it; stops as soon as a bound is passed, so also for circular values. */
export function measureJson(value: unknown, bounds: JsonBounds): JsonMeasure {
  let bytes = 0;
  let exceeded: JsonMeasure['exceeded'];

  function walk(current: unknown, depth: number): void {
    if (typeof current === 'string') bytes += Buffer.byteLength(current) + 2;
    else if (typeof current !== 'object' || current === null) bytes += String(current).length;
    else if (depth >= bounds.maxDepth) exceeded = 'depth';
    else if (Array.isArray(current)) walkArray(current, depth);
    else walkObject(current, depth);
    if (bytes > bounds.maxBytes) exceeded ??= 'bytes';
  }

  function walkArray(items: readonly unknown[], depth: number): void {
    bytes += 2;
    for (const item of items) {
      bytes += 1;
      walk(item, depth + 1);
      if (exceeded) return;
    }
  }

  function walkObject(object: object, depth: number): void {
    bytes += 2;
    for (const key of Object.keys(object)) {
      bytes += Buffer.byteLength(key) + 4;
      walk((object as Record<string, unknown>)[key], depth + 1);
      if (exceeded) return;
    }
  }

  walk(value, 0);
  return exceeded ? { bytes, exceeded } : { bytes };
}
