import { hashOf } from '../../kernel/canonical-json.ts';
import type { Embed } from '../../kernel/embed.ts';
import type { VectorStore } from '../../storage/ports/vector-store.ts';

export interface StoreVectorsOptions {
  readonly store: VectorStore;
  /** Identifies the model and its version. */
  readonly model: string;
  /** A store that fails does not stop the search: the vectors are computed. */
  readonly onFailure: (cause: unknown) => void;
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
