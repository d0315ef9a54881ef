/** The states of a request for a role for a limited time. */
export const elevationStates = ['pending', 'granted', 'denied', 'withdrawn', 'expired', 'ended'] as const;

export type ElevationState = (typeof elevationStates)[number];

/** The person and program behind a step of an elevation. */
export interface ElevationActor {
  readonly id: string;
  readonly name?: string;
  readonly client?: { readonly name: string; readonly version?: string };
}

/** A person's request for a role for a limited time, and what became of it. */
export interface ElevationRequest {
  readonly id: string;
  /** The id of the user who asks. */
  readonly user: string;
  readonly askedBy: ElevationActor;
  readonly role: string;
  readonly reason: string;
  readonly minutes: number;
  readonly status: ElevationState;
  readonly createdAt: string;
  readonly answeredBy?: ElevationActor;
  readonly answeredAt?: string;
  /** When the role ends, or ended. */
  readonly until?: string;
}
