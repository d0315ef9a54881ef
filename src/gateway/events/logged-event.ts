import type { EventData, EventName } from '../api/schemas/events.ts';
import type { Identity } from '../auth/identity.ts';
import type { Scope } from '../auth/profile-scope.ts';

/** Who listens, and what they may see right now. */
export interface Viewer {
  readonly identity: Identity;
  readonly scope: Scope;
}

/** Something that happened, and what of it someone may see: undefined for nothing. */
export interface LoggedEvent {
  readonly name: EventName;
  show(viewer: Viewer): EventData<EventName> | undefined;
}

/** An event, or what makes it where somebody may hear of it. */
export type Publishable = LoggedEvent | (() => LoggedEvent);

export interface NumberedEvent extends LoggedEvent {
  /** None for one that is not kept. */
  readonly id?: string;
}
