/** Computed vectors by key, such as those of the texts of tools. A cache: it is bounded, and what it lost is computed again. */
export interface VectorStore {
  /** The stored vectors of these keys. */
  getAll(keys: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  putAll(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** The maximum number of stored vectors. A vector of a common model takes two kilobytes. */
export const maxStoredVectors = 50_000;
