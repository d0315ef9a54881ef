import type { Era } from '../../contract/connections.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import type { AccountUse } from './accounts/account-store.ts';
import type { RequestHost } from './request-host.ts';

/** A request that was cancelled after it was sent. Its server may still be working on it. */
export interface UnansweredRequest {
  /** Resolves when the server has answered after all, or can no longer work on the request. */
  readonly end: Promise<void>;
  /** Called when nobody waits for the end any longer. */
  forget?(): void;
}

/** Receives a request that is cancelled after it was sent. */
export interface RequestObserver {
  onUnanswered?(request: UnansweredRequest): void;
}

/** The properties of a session that headers depend on. */
export interface SessionKind {
  readonly era: Era;
  readonly transport: string;
}

/** HTTP headers for one request. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/**
 * A request to a server and its answer: on whose behalf, who answers questions, what ends it, and who learns what happens to it. The
 * same object from the connection to the channel.
 */
export interface Exchange {
  /** The call that the request belongs to. */
  readonly callId?: string;
  /** Answers the server's questions and receives its notifications for this request. */
  readonly host?: RequestHost;
  readonly signal?: AbortSource;
  /** The account that the request uses, at a server with per-user credentials. */
  readonly account?: AccountUse;
  /** The server's task that the request is about. Only questions that name the task belong to the request. */
  readonly taskId?: string;
  /** The params of the tool call whose task the request is about. The request is sent on the session of that call. */
  readonly follows?: JsonObject;
  readonly observer?: RequestObserver;
  /** The HTTP headers for this request on a session. */
  readonly toHeaders?: (session: SessionKind) => ExtraHeaders | undefined;
  /** Called while the request waits for other clients' requests to end; the returned function is called afterwards. */
  readonly onWait?: () => () => void;
  /** Called with the replica that runs the server, before the request is sent to it. */
  readonly onForward?: (replica: string) => void;
  /** Called when the request became a task that reports progress, with the function that ends the progress. */
  readonly onFollow?: (endProgress: () => void) => void;
  /** Called before the request fails, or before another one follows it, if it may have reached the server. */
  readonly onReached?: () => void;
}
