import type { IncomingHttpHeaders } from 'node:http';
import type { Era } from '../../../contract/connections.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { RequestHost } from '../../../toolwharf/connections/request-host.ts';
import type { InternalStartOptions } from '../../../toolwharf/invocation/invoker.ts';
import type { AbortSource } from '../../../toolwharf/kernel/abort-source.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { CallerUsage } from '../http/limits/limits.ts';
import type { Reservation } from '../http/limits/quota.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import type { RpcId } from './rpc.ts';

/** The caller's limits, the reservation for the request's body, and the memory of the results it produces. */
export interface RequestUsage extends Pick<CallerUsage, 'reserve' | 'calls' | 'weighText'> {
  readonly body?: Reservation;
  readonly results?: RequestResults;
}

/** How the client uses tasks: as revision 2025-11-25 defines them, or by the extension of the modern era. */
export type TaskGeneration = 'v1' | 'v2';

/** One client request, independent of protocol era and transport. */
export interface ClientRequest {
  /** Undefined where a request was made for another one. */
  readonly id?: RpcId;
  readonly protocolVersion?: string;
  /** The client started the gateway and uses its standard input and output; false. */
  readonly isLocal?: boolean;
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  readonly caller: Caller;
  readonly profile: ProfileConfig;
  /** Reloads the policy for a call that has waited. Rejects if the caller has lost its access. */
  readonly refreshPolicy: InternalStartOptions['refreshPolicy'];
  /** The limits of the caller; none over stdio. */
  readonly usage?: RequestUsage;
  /** The capabilities that the client declared. */
  readonly capabilities: JsonObject;
  /** How the client can use tasks; undefined if it cannot. */
  readonly tasks?: TaskGeneration;
  /** The id of the client's session; undefined in the modern era, which has no sessions. */
  readonly session?: string;
  /** Asks for the client's roots outside of a request; undefined in the modern era. */
  readonly listRoots?: NonNullable<RequestHost['client']>['listRoots'];
  /** The minimum log level that the client requested; undefined if it requested none. */
  readonly logLevel: string | undefined;
  /** The HTTP headers of a modern request, which repeat arguments of the call; undefined for other requests. */
  readonly headers?: IncomingHttpHeaders;
  /** Aborts when the client cancels the request or disconnects. */
  readonly signal: AbortSource;
  /** Sends the client a notification that belongs to this request. */
  notify(method: string, params: JsonObject): void;
  /** Sends the client a question, under the server's key if there is one. Rejects if the client cannot be asked. */
  ask(method: string, params: JsonObject, signal: AbortSignal, key?: string): Promise<JsonObject>;
}
