/** The replica that runs a server. */
export interface PlacementRow {
  readonly server: string;
  readonly replica: string;
  /** Rises each time that a replica takes or releases the server. */
  readonly term: number;
  /** Whether the lease in which the replica took the server is valid. */
  readonly isHeld: boolean;
}

/** Which replica runs the servers that only one may run. */
export interface PlacementStore {
  list(): Promise<readonly PlacementRow[]>;
  /**
   * Makes this replica the owner of a server until its lease of this epoch ends. Returns the new term, or undefined if another
   * replica holds the server or was faster: `term` is the last known one, 0 if there is none.
   */
  take(server: string, term: number, epoch: number): Promise<number | undefined>;
  /** Gives up a server that this replica has taken in this term. */
  release(server: string, term: number): Promise<void>;
}
