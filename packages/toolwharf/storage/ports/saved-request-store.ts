import type { JsonObject } from '../../../contract/json.ts';

/** A tool with arguments, stored under a name to be run again. */
export interface SavedRequest {
  readonly id: string;
  /** The id of the caller that saved it. */
  readonly owner: string;
  readonly name: string;
  /** The tool's exposed name. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Whether all callers see it, or only its owner. */
  readonly shared: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The store of saved requests. */
export interface SavedRequestStore {
  /** The requests of the owner and the shared ones, sorted by name. */
  list(owner: string): Promise<readonly SavedRequest[]>;
  get(id: string): Promise<SavedRequest | undefined>;
  /** The number of requests that the owner saved. */
  count(owner: string): Promise<number>;
  /** Adds the request, or replaces the one with the same id. */
  put(request: SavedRequest): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** Orders saved requests by name; the same in every database. */
export function compareNames(one: SavedRequest, other: SavedRequest): number {
  return one.name.localeCompare(other.name, 'en') || (one.id < other.id ? -1 : 1);
}
