/** Texts that the worker turns into vectors. */
export interface EmbeddingRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

/** The vectors of a request, one after the other, or why there are none. */
export type EmbeddingAnswer =
  | { readonly id: number; readonly vectors: Float32Array; readonly dimensions: number }
  | { readonly id: number; readonly problem: string };
