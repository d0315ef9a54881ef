import { isRawNumber } from '../kernel/exact-json.ts';

export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

export interface JsonMeasure {
  /** Bytes as JSON text without escapes; a lower bound if a limit was exceeded. */
  readonly bytes: number;
  /** The first limit that was exceeded. */
  readonly exceeded: 'bytes' | 'depth' | undefined;
}

/** Measures a JSON value. Stops when a limit is exceeded, so also for circular values. */
export function measureJson(value: unknown, bounds: JsonBounds): JsonMeasure {
  const measure: Measure = { bytes: 0, exceeded: undefined };
  walk(value, 0, bounds, measure);
  return measure;
}

interface Measure {
  bytes: number;
  exceeded: JsonMeasure['exceeded'];
}

function walk(value: unknown, depth: number, bounds: JsonBounds, measure: Measure): void {
  if (typeof value === 'string') measure.bytes += leastBytesOf(value, bounds.maxBytes - measure.bytes) + 2;
  else if (typeof value !== 'object' || value === null) measure.bytes += String(value).length;
  else if (isRawNumber(value)) measure.bytes += value.rawJSON.length;
  else if (depth >= bounds.maxDepth) measure.exceeded = 'depth';
  else if (Array.isArray(value)) walkArray(value, depth, bounds, measure);
  else walkObject(value as Readonly<Record<string, unknown>>, depth, bounds, measure);
  if (measure.bytes > bounds.maxBytes) measure.exceeded ??= 'bytes';
}

function walkArray(items: readonly unknown[], depth: number, bounds: JsonBounds, measure: Measure): void {
  measure.bytes += 2;
  for (const item of items) {
    measure.bytes += 1;
    walk(item, depth + 1, bounds, measure);
    if (measure.exceeded) return;
  }
}

function walkObject(
  object: Readonly<Record<string, unknown>>,
  depth: number,
  bounds: JsonBounds,
  measure: Measure,
): void {
  measure.bytes += 2;
  for (const key of Object.keys(object)) {
    measure.bytes += bytesOf(key) + 4;
    walk(object[key], depth + 1, bounds, measure);
    if (measure.exceeded) return;
  }
}

/** The bytes of a text. A text that has more characters than `maxBytes` is not measured, which takes long if it is long. */
function leastBytesOf(text: string, maxBytes: number): number {
  return text.length > maxBytes ? text.length : bytesOf(text);
}

const bytesOf = Buffer.byteLength;
