import type { JsonObject } from '../../contract/json.ts';
import { jsonTextOf, toJsonText } from './exact-json.ts';
import { nextTurn } from './next-turn.ts';

/** Divides long work on the main thread: after each step, `if (slice.isOver()) await slice.next()`. */
export interface Slice {
  /** True when the slice has had its share of steps or time. */
  isOver(): boolean;
  /** Lets the event loop do other work, then starts the next slice. */
  next(): Promise<void>;
}

export interface SliceOptions {
  /** Maximum number of steps in a slice; 1 000. */
  readonly maxSteps?: number;
}

/** Maximum duration of a slice. */
const maxMs = 10;

/** Starts the first slice. */
export function createSlice({ maxSteps = 1_000 }: SliceOptions = {}): Slice {
  let steps = 0;
  let startedAt = performance.now();
  return {
    isOver: () => ++steps >= maxSteps || performance.now() - startedAt >= maxMs,
    async next() {
      await nextTurn();
      steps = 0;
      startedAt = performance.now();
    },
  };
}

/** Maps a list in slices. */
export async function mapInSlices<Item, Mapped>(
  items: Iterable<Item>,
  map: (item: Item) => Mapped,
  options?: SliceOptions,
): Promise<Mapped[]> {
  const slice = createSlice(options);
  const mapped: Mapped[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (slice.isOver()) await slice.next();
  }
  return mapped;
}

/** Serializes an object as JSON, one that arrived as it arrived; lists that are direct members and have many items are serialized in slices. */
export async function stringifyInSlices(value: JsonObject): Promise<Buffer<ArrayBuffer>> {
  const arrived = jsonTextOf(value);
  if (arrived !== undefined) return Buffer.from(arrived);
  const parts: Buffer[] = [];
  for (const [key, member] of Object.entries(value)) {
    const text =
      Array.isArray(member) && member.length > longList
        ? undefined
        : member === undefined
          ? undefined
          : toJsonText(member);
    const name = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    if (text !== undefined) parts.push(Buffer.from(name + text));
    else if (Array.isArray(member))
      parts.push(Buffer.from(`${name}[`), ...(await stringifyItems(member)), Buffer.from(']'));
  }
  return Buffer.concat([...parts, Buffer.from(parts.length === 0 ? '{}' : '}')]);
}

const longList = 1_000;

async function stringifyItems(items: readonly unknown[]): Promise<Buffer[]> {
  const slice = createSlice();
  const parts: Buffer[] = [];
  let text = '';
  for (const [at, item] of items.entries()) {
    text += `${at === 0 ? '' : ','}${toJsonText(item)}`;
    if (!slice.isOver()) continue;
    parts.push(Buffer.from(text));
    text = '';
    await slice.next();
  }
  return [...parts, Buffer.from(text)];
}
