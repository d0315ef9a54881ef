import { messageOf } from '../../../contract/errors.ts';
import { type Embeddings, openEmbeddings } from '../../../toolwharf/features/search/embeddings/open-embeddings.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import type { Embed } from '../../../toolwharf/kernel/embed.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { VectorStore } from '../../../toolwharf/storage/ports/vector-store.ts';

export interface GatewayEmbeddingsOptions {
  readonly log: Log;
  /** Keeps the vectors of tools over restarts, and shares them with other replicas. */
  readonly storage: { readonly vectors: VectorStore };
  readonly signal: AbortSignal;
}

/**
 * The embeddings that the configuration names, until the signal aborts. Undefined without their package: tools are then searched by
 * keywords, which the log says once.
 */
export function openGatewayEmbeddings(name: string | undefined, options: GatewayEmbeddingsOptions): Embed | undefined {
  const { log, storage, signal } = options;
  if (name === undefined) return undefined;
  const byKeywords = (cause: unknown) => `Tools are searched by keywords: ${messageOf(cause)}`;
  let opened: Embeddings;
  try {
    opened = openEmbeddings(name);
  } catch (cause) {
    log.warning('search.embeddings-missing', byKeywords(cause));
    return undefined;
  }
  const reportFailure = once(signal, (cause) => log.warning('search.embeddings-failed', byKeywords(cause)));
  const onFailure = once(signal, (cause) =>
    log.warning(
      'search.vectors-not-stored',
      `The vectors of tools are computed again after a restart: ${messageOf(cause)}`,
    ),
  );
  signal.addEventListener('abort', () => void opened[Symbol.asyncDispose](), { once: true });
  const embed: Embed = (texts) =>
    opened.embed(texts).catch((cause) => {
      reportFailure(cause);
      throw cause;
    });
  return storeVectors(embed, { store: storage.vectors, model: opened.model, onFailure });
}

/** Computes only the vectors of tools that are not stored yet, and stores them. Those of queries are not stored. */
export function storeVectors(embed: Embed, { store, model, onFailure }: StoreVectorsOptions): Embed {
  return async (texts, kind) => {
    if (kind !== 'tool') return embed(texts, kind);
    const keys = texts.map((text) => hashOf([model, text]));
    const stored = await store.getAll(keys).catch((cause) => {
      onFailure(cause);
      return new Map<string, Float32Array>();
    });
    const vectors = new Map<string, ArrayLike<number>>(stored);
    const missing = [...keys.keys()].filter((at) => !stored.has(keys[at] as string));
    if (missing.length > 0) {
      const found = await embed(
        missing.map((at) => texts[at] as string),
        kind,
      );
      if (found.length !== missing.length) throw new Error('There must be one vector for each text');
      const computed = new Map(
        missing.map((at, index) => [keys[at] as string, Float32Array.from(found[index] as ArrayLike<number>)]),
      );
      for (const [key, vector] of computed) vectors.set(key, vector);
      await store.putAll(computed).catch(onFailure);
    }
    return keys.map((key) => vectors.get(key) as ArrayLike<number>);
  };
}

/** Reports the first failure only, and none of a gateway that stops. */
function once(stopping: AbortSignal, report: (cause: unknown) => void): (cause: unknown) => void {
  let hasFailed = false;
  return (cause) => {
    if (!hasFailed && !stopping.aborted) report(cause);
    hasFailed = true;
  };
}

interface StoreVectorsOptions {
  readonly store: VectorStore;
  /** Identifies the model and its version. */
  readonly model: string;
  /** A store that fails does not stop the search: the vectors are computed. */
  readonly onFailure: (cause: unknown) => void;
}
