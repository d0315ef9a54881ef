import type { JsonObject } from '../../../contract/json.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { LimitStore } from './limit-store.ts';
import type { ReplicaLease } from './replica-lease.ts';

/** The stores that configure the gateway. */
export const configurationTopics = [
  'servers',
  'pins',
  'rules',
  'assistants',
  'providers',
  'api_keys',
  'profiles',
  'scripts',
  'policy_rules',
  'tool_overrides',
  'roles',
] as const;

/** The stores whose changes replicas follow. */
export const fleetTopics = [
  ...configurationTopics,
  'users',
  'elevations',
  'oauth_records',
  'accounts',
  'ended_sessions',
  'events',
  'listeners',
  'placements',
] as const;
export type FleetTopic = (typeof fleetTopics)[number];

/** A process that uses the database. */
export interface ReplicaRow {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Milliseconds until its lease expires, by the database's clock. */
  readonly leaseMs: number;
  /** The facts that the replica publishes about itself. */
  readonly facts: JsonObject;
}

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

/** A message to one replica. */
export interface FleetMessage {
  /** Identifies the message for `takeBack`; a new id by default. */
  readonly id?: string;
  readonly target: string;
  readonly body: JsonObject;
}

/** A call that waits for approval. */
export interface AwaitingCall {
  readonly record: CallRecord;
  /** This replica has received the call or taken it over. */
  readonly isOwn: boolean;
}

/** The state that the replicas on one database share. Only a database that several processes can use has it. */
export interface FleetStore {
  /** The id of this replica. It owns the calls that this replica makes. */
  readonly replica: string;
  readonly lease: ReplicaLease;
  readonly limits: LimitStore;
  readonly placements: PlacementStore;
  /** Stores the facts about this replica. */
  describe(facts: JsonObject): Promise<void>;
  /** The replicas whose lease is valid. */
  replicas(): Promise<readonly ReplicaRow[]>;
  /** The replica that a recorded call belongs to; undefined if the call is not recorded or its replica has ended. */
  ownerOfCall(id: string): Promise<string | undefined>;
  /** The recorded calls that wait for approval: those of this replica, and those of replicas that are gone. */
  awaitingCalls(): Promise<readonly AwaitingCall[]>;
  /** The replica that generates an answer in a conversation; undefined if none does. */
  ownerOfConversation(id: string): Promise<string | undefined>;
  /** The revision of each topic, which every change raises. */
  revisions(): Promise<ReadonlyMap<string, number>>;
  /** Stores messages. Resolves with the targets that are no longer there. */
  send(messages: readonly FleetMessage[]): Promise<readonly string[]>;
  /** Removes a message that its target has not read. Returns false if the target may have read it. */
  takeBack(id: string): Promise<boolean>;
  /** Removes and returns the messages to this replica, oldest first. */
  receive(): Promise<readonly JsonObject[]>;
  /** Notifies other replicas to read changes now instead of at their next poll; for permits only, if only permits changed. */
  hint(about?: 'permits'): Promise<void>;
  /** Appends events to the order that all replicas share. */
  appendEvents(bodies: readonly string[]): Promise<void>;
  /** The events after a number, oldest first. */
  readEvents(after: number, limit: number): Promise<FleetEvents>;
  /** The number of the last event. */
  lastEvent(): Promise<number>;
  /**
   * Records that clients of this replica listen to events. If no replica has recorded that for `idleMs`, events may not have been
   * stored meanwhile: a number of the order is left out, so that `readEvents` shows a gap.
   */
  recordListening(idleMs: number): Promise<{ readonly lastEvent: number; readonly wasIdle: boolean }>;
  /** How long ago a replica has recorded that clients listen to events, in milliseconds. */
  sinceListening(): Promise<number>;
  /** Removes events that are older. */
  removeEvents(olderThanMs: number): Promise<void>;
  /**
   * Calls the listener when another replica may have sent or changed something. Notifications get lost, and some connection
   * poolers do not forward them: the listener is only a hint to look.
   */
  listen(listener: (about?: 'permits') => void): FleetHints;
}

/** Events in their common order. */
export type FleetEvents = readonly { readonly seq: number; readonly body: string }[];

/** A subscription to hints. */
export interface FleetHints extends AsyncDisposable {
  /** Whether notifications arrive. */
  readonly isLive: boolean;
}
