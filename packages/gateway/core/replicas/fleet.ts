import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { FleetTopic, ReplicaRow } from '../../../toolwharf/storage/ports/fleet-store.ts';

/** Answers a request of another replica. */
export type FleetHandler = (params: JsonObject, request: FleetRequest) => Promise<JsonObject>;

/** A request of another replica while it is being answered. */
export interface FleetRequest {
  /** The replica that waits for the answer. */
  readonly from: string;
  /** Aborts when that replica no longer waits. */
  readonly signal: AbortSignal;
  /** Sends an item before the answer. Items arrive in their order. */
  send(item: JsonObject): void;
}

export interface FleetRequestOptions {
  readonly signal?: AbortSignal;
  /** Receives the items that the other replica sends before its answer. */
  readonly onItem?: (item: JsonObject) => void;
  /** The request may wait for long: the database is not polled more often because of it. */
  readonly isBackground?: boolean;
}

/** The answer of one replica. */
export interface FleetAnswer {
  readonly replica: string;
  readonly result: JsonObject;
}

/** The other replicas on the same database. Everything goes through the database: replicas need not reach each other. */
export interface Fleet extends AsyncDisposable {
  /** The id of this replica; undefined if there can be no other. */
  readonly replica: string | undefined;
  /** Calls the listener after a replica, perhaps this one, has changed the store. */
  onChange(topic: FleetTopic, listener: () => unknown): void;
  /** Whether every change that is older than a second has been reported. */
  readonly isCurrent: boolean;
  /** Every change that is older than this has been reported, in milliseconds. */
  readonly reportAgeMs: number;
  /** The revision of the configuration in the stores that this replica has applied. It grows with each change. */
  readonly appliedRevision: number;
  /** The current revision of the configuration in the stores. */
  readRevision(): Promise<number>;
  /** Calls the listener when another replica needs or has returned permits. */
  onPermitHint(listener: () => void): void;
  /** Resolves when every answer that a handler has given so far has been sent. */
  answersSent(): Promise<void>;
  /** Registers the handler of a method that other replicas call. */
  handle(method: string, handler: FleetHandler): void;
  /**
   * Calls a method of another replica. Rejects with `GONE` if that replica is not there or ends before it answers;
   * `data.received` is false if it surely did not receive the request.
   */
  request(replica: string, method: string, params: JsonObject, options?: FleetRequestOptions): Promise<JsonObject>;
  /** Calls a method of all other replicas without waiting for their answers. */
  broadcast(method: string, params: JsonObject): Promise<void>;
  /** Calls a method of all other replicas and returns the answers of those that answer soon. */
  gather(method: string, params: JsonObject): Promise<readonly FleetAnswer[]>;
  /** The first answer of another replica that is meant; undefined if there is none, or none after a longer time. */
  find(method: string, params: JsonObject, isMeant: (result: JsonObject) => boolean): Promise<FleetAnswer | undefined>;
  replicas(): Promise<readonly ReplicaRow[]>;
}

/** Whether this replica can make calls. */
export interface ReplicaHealth {
  /** Why calls are refused; empty if they are not. */
  reasons(): readonly string[];
  readonly epoch: number;
  /** The permits that this replica has leased, for all calls. */
  readonly permits: number;
}

/** The fleet of a process that has its database to itself. */
export const noFleet: Fleet = {
  replica: undefined,
  onChange() {},
  isCurrent: true,
  reportAgeMs: 0,
  appliedRevision: 0,
  readRevision: async () => 0,
  onPermitHint() {},
  answersSent: async () => {},
  handle() {},
  request: async (replica) => {
    throw replicaIsGone(replica, false);
  },
  broadcast: async () => {},
  gather: async () => [],
  find: async () => undefined,
  replicas: async () => [],
  [Symbol.asyncDispose]: async () => {},
};

export function replicaIsGone(replica: string, received: boolean): ToolwharfError {
  return new ToolwharfError('GONE', 'The replica that handled this has stopped', { data: { replica, received } });
}
