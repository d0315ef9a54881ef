import type { Embed } from '../../kernel/embed.ts';
import { nextTurn } from '../../kernel/next-turn.ts';
import type { ToolDocument } from './tool-fields.ts';

/** The vectors of tools and servers. They are computed in the background, those of changed texts only. */
export interface ToolVectors {
  /** Adds a tool, or replaces the tool with the same id. */
  set(document: ToolDocument): void;
  delete(id: string): void;
  /** The vectors of a query. Undefined while tools have no vectors yet, and if vectors cannot be computed in time. */
  embedQuery(query: string): Promise<readonly Float32Array[] | undefined>;
  /** How close each tool is to the meaning of a query, relative to the other tools; undefined while tools have no vectors yet. */
  compare(query: readonly Float32Array[]): ReadonlyMap<string, number> | undefined;
}

/** Small, so that a query need not wait long for the vectors of tools. */
const batch = 4;
const queryTimeoutMs = 3_000;
/** After a failure, the package or service gets a pause. */
const retryMs = 60_000;
const maxCached = 20_000;
const maxTextLength = 1_500;
/** The parts of a long query, such as the steps of a task. */
const maxParts = 8;

/** How much each similarity counts, in standard deviations over all tools, beside the keyword score, of which the best is 1. */
const weights = { tool: 0.05, server: 0.15, toolsOfServer: 0.05, part: 0.05 };

/** Profiles with the same tools share their vectors. */
const caches = new WeakMap<Embed, Map<string, Float32Array>>();

interface ComparedTool {
  readonly text: string;
  readonly server: string;
  readonly serverText: string;
}

export function createToolVectors(embed: Embed): ToolVectors {
  const cache = caches.get(embed) ?? new Map<string, Float32Array>();
  caches.set(embed, cache);
  const tools = new Map<string, ComparedTool>();
  /** The vectors of the texts of these tools, and how many tools use each. */
  const vectors = new Map<string, { vector?: Float32Array; uses: number }>();
  const missing = new Set<string>();
  let centres: ReadonlyMap<string, Float32Array> | undefined;
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
    const tool = tools.get(id);
    if (!tool) return;
    tools.delete(id);
    release(tool.text);
    release(tool.serverText);
    centres = undefined;
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
        centres = undefined;
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

  /** The mean direction of the tools of each server. */
  function readCentres(): ReadonlyMap<string, Float32Array> {
    if (centres) return centres;
    const sums = new Map<string, Float32Array>();
    for (const { text, server } of tools.values()) {
      const vector = vectors.get(text)?.vector;
      if (!vector) continue;
      const sum = sums.get(server) ?? new Float32Array(vector.length);
      sums.set(server, sum);
      for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number);
    }
    centres = new Map([...sums].map(([server, sum]) => [server, toUnit(sum)]));
    return centres;
  }

  return {
    set({ id, server = '', serverText = '', name, title = '', description = '' }) {
      const words = name.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replaceAll(/[_\-./]+/g, ' ');
      const tool = {
        text: `${words}: ${title} ${description}`.slice(0, maxTextLength),
        server,
        serverText: `${server}. ${serverText}`.slice(0, maxTextLength),
      };
      remove(id);
      tools.set(id, tool);
      use(tool.text);
      use(tool.serverText);
      centres = undefined;
    },
    delete: remove,
    async embedQuery(query) {
      void compute();
      if (missing.size > 0 || tools.size === 0 || Date.now() < retryAt) return undefined;
      const timeout = Promise.withResolvers<undefined>();
      const timer = setTimeout(timeout.resolve, queryTimeoutMs, undefined);
      try {
        const parts = splitParts(query);
        return await Promise.race([embedAll(parts.length > 1 ? [query, ...parts] : [query], 'query'), timeout.promise]);
      } catch {
        retryAt = Date.now() + retryMs;
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },
    compare([query, ...parts]) {
      if (missing.size > 0 || !query) return undefined;
      const ofText = cached((text) => similarity(query, vectors.get(text)?.vector));
      const ofServer = cached((server) => similarity(query, readCentres().get(server)));
      const compared = [...tools].map(([id, { text, server, serverText }]) => {
        const vector = vectors.get(text)?.vector;
        const whole = similarity(query, vector);
        return {
          id,
          tool: whole,
          server: ofText(serverText),
          toolsOfServer: ofServer(server),
          part: parts.length === 0 ? whole : Math.max(...parts.map((part) => similarity(part, vector))),
        };
      });
      const sums = new Map<string, number>();
      for (const [kind, weight] of Object.entries(weights) as [keyof typeof weights, number][]) {
        const deviations = toDeviations(compared.map((one) => one[kind]));
        for (const [at, { id }] of compared.entries())
          sums.set(id, (sums.get(id) ?? 0) + weight * (deviations[at] as number));
      }
      return sums;
    },
  };
}

/** Computes a similarity once for all tools of a server. */
function cached(compute: (key: string) => number): (key: string) => number {
  const known = new Map<string, number>();
  return (key) => {
    const found = known.get(key) ?? compute(key);
    known.set(key, found);
    return found;
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

/** The sentences and clauses of a query. */
function splitParts(query: string): readonly string[] {
  return query
    .split(/(?<=[.!?;:])\s+|,\s+|\s+(?:and|then|including|as well as)\s+|\n+/i)
    .map((part) => part.trim())
    .filter((part) => /\s/.test(part))
    .slice(0, maxParts);
}

/** How many standard deviations each value is above the mean. */
function toDeviations(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const deviation = Math.sqrt(variance) || 1;
  return values.map((value) => (value - mean) / deviation);
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
