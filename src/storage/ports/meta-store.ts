/** Small texts by name: versions, check values, what was done once. Not for secrets: they are kept as they are. */
export interface MetaStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}
