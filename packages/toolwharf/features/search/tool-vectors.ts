import type { Embed } from '../../kernel/embed.ts';
import { nextTurn } from '../../kernel/next-turn.ts';
import type { ToolDocument } from './tool-fields.ts';

/** The vectors of tools. They are computed in the background, those of changed texts only. */
export interface ToolVectors {
  /** Adds a tool, or replaces the tool with the same id. */
  set(document: ToolDocument): void;
  delete(id: string): void;
  /** The vector of a query. Undefined while tools have no vectors yet, and if it cannot be computed in time. */
  embedQuery(query: string): Promise<Float32Array | undefined>;
  /** How close each tool is to the meaning of a query, by id; undefined while tools have no vectors yet. */
  compare(query: Float32Array): ReadonlyMap<string, number> | undefined;
}

/** Small, so that a query need not wait long for the vectors of tools. */
const batch = 4;
const queryTimeoutMs = 3_000;
/** After a failure, the package or service gets a pause. */
const retryMs = 60_000;
const maxCached = 20_000;
const maxTextLength = 1_500;

/** Profiles with the same tools share their vectors. */
const caches = new WeakMap<Embed, Map<string, Float32Array>>();

export function createToolVectors(embed: Embed): ToolVectors {
  const cache = caches.get(embed) ?? new Map<string, Float32Array>();
  caches.set(embed, cache);
  /** The text of each tool, by id. */
  const tools = new Map<string, string>();
  /** The vectors of the texts of these tools, and how many tools use each. */
  const vectors = new Map<string, { vector?: Float32Array; uses: number }>();
  const missing = new Set<string>();
  let isRunning = false;
  let retryAt = 0;

  function use(text: string): void {
    const known = vectors.get(text);
    if (known) known.uses++;
    else {
      const vector = cache.get(text);
      vectors.set(text, { vector, uses: 1 });
      if (!vector) missing.add(text);
    }
  }

  function release(text: string): void {
    const known = vectors.get(text);
    if (!known || --known.uses > 0) return;
    vectors.delete(text);
    missing.delete(text);
  }

  function remove(id: string): void {
    const text = tools.get(id);
    if (text === undefined) return;
    tools.delete(id);
    release(text);
  }

  function keep(text: string, vector: Float32Array): void {
    cache.set(text, vector);
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    const used = vectors.get(text);
    if (used) used.vector = vector;
    missing.delete(text);
  }

  async function compute(): Promise<void> {
    if (isRunning || Date.now() < retryAt) return;
    isRunning = true;
    try {
      while (missing.size > 0) {
        const texts = takeFirst(missing, batch);
        const found = await embedAll(texts, 'tool');
        for (const [at, text] of texts.entries()) keep(text, found[at] as Float32Array);
        // Stored vectors can be there at once: requests must not wait for those of all tools.
        await nextTurn();
      }
    } catch {
      // The embedder has logged why.
      retryAt = Date.now() + retryMs;
    } finally {
      isRunning = false;
    }
  }

  async function embedAll(texts: readonly string[], kind: 'tool' | 'query'): Promise<readonly Float32Array[]> {
    const found = await embed(texts, kind);
    if (found.length !== texts.length) throw new Error('There must be one vector for each text');
    return found.map(toUnit);
  }

  return {
    set({ id, name, title = '', description = '' }) {
      const words = name.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replaceAll(/[_\-./]+/g, ' ');
      const text = `${words}: ${title} ${description}`.slice(0, maxTextLength);
      remove(id);
      tools.set(id, text);
      use(text);
    },
    delete: remove,
    async embedQuery(query) {
      void compute();
      if (missing.size > 0 || tools.size === 0 || Date.now() < retryAt) return undefined;
      const timeout = Promise.withResolvers<undefined>();
      const timer = setTimeout(timeout.resolve, queryTimeoutMs, undefined);
      try {
        const embedded = embedAll([query], 'query').then(([vector]) => vector);
        return await Promise.race([embedded, timeout.promise]);
      } catch {
        retryAt = Date.now() + retryMs;
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },
    compare(query) {
      if (missing.size > 0) return undefined;
      return new Map(Array.from(tools, ([id, text]) => [id, similarity(query, vectors.get(text)?.vector)]));
    },
  };
}

function takeFirst(texts: Iterable<string>, count: number): readonly string[] {
  const taken: string[] = [];
  for (const text of texts) {
    if (taken.length === count) break;
    taken.push(text);
  }
  return taken;
}

function similarity(one: Float32Array, other: Float32Array | undefined): number {
  let sum = 0;
  if (other) for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] ?? 0);
  return sum;
}

function toUnit(vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  let squares = 0;
  for (const value of unit) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return unit.map((value) => value / length);
}
