/** The end of one session or, without an id, of every session of its owner that expires at or before `expiresAt`. */
export interface EndedSession {
  readonly id?: string;
  /** The kind and the holder of the session. */
  readonly owner: string;
  /** When the token of the session expires, in milliseconds since 1970. The end is kept until then. */
  readonly expiresAt: number;
}

/** The store of ended sessions. */
export interface EndedSessionStore {
  /** Stores an end. One without an id replaces the ends that it includes. */
  add(ended: EndedSession): Promise<void>;
  /** The ends that were stored after a position, and the position of the last one. */
  list(after: number): Promise<{ readonly ended: readonly EndedSession[]; readonly position: number }>;
}
