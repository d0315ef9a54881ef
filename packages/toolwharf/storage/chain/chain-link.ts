/** A position in the chain: the number and the hash of a step. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}
