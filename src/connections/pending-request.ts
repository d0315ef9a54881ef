import type { TransportSendOptions } from '@modelcontextprotocol/client';
import type { AbortSource } from '../kernel/abort-source.ts';
import { ConnectionError, type ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Cancellation } from './cancellation.ts';
import type { ReplyMeter, RequestHost } from './request-host.ts';
import type { Turn } from './turns.ts';

export interface ChannelRequestOptions {
  readonly signal?: AbortSource;
  /** HTTP headers for this request alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The call this request belongs to. */
  readonly callId?: string;
  /** Answers the server's questions and receives its notifications for this request. */
  readonly host?: RequestHost;
  /** The server's task that the request is about. Only questions that name the task belong to the request. */
  readonly taskId?: string;
  /** The turn of a request with a host on a legacy session. */
  readonly turn?: Turn;
}

/** How a request is sent. */
export interface ChannelSendOptions extends TransportSendOptions {
  /** Ends the request before its reply. */
  readonly cancellation?: Cancellation;
  /** Fails the request: its reply arrived in a form that is not read, such as too large. */
  readonly onUnreadable?: (cause: ToolwharfError) => void;
  /** Counts the reply while it is received. */
  readonly reply?: ReplyMeter;
}

/** Receives the events of a pending request: its channel. */
export interface RequestOwner {
  /** The request has ended. */
  onSettled(request: PendingRequest): void;
  /** The request was cancelled. Calls `request.cancel` when its transport need not wait for the reply any longer. */
  onAborted(request: PendingRequest): void;
}

interface Settling {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (cause: unknown) => void;
  readonly owner: RequestOwner;
}

/**
 * A request until its end, and how it is sent. A class, because every call has one: methods on a prototype cost nothing per call. Those
 * that transports call as functions are created when a transport reads them.
 */
export class PendingRequest implements ChannelSendOptions, Cancellation {
  readonly id: number;
  readonly method: string;
  readonly reply: ReplyMeter | undefined;
  readonly #options: ChannelRequestOptions;
  readonly #settling: Settling;
  readonly #onAbort: (() => void) | undefined;
  #isOver = false;
  #isCancelled = false;
  #onCancel: (() => void) | undefined;

  constructor(
    id: number,
    method: string,
    options: ChannelRequestOptions,
    reply: ReplyMeter | undefined,
    settling: Settling,
  ) {
    this.id = id;
    this.method = method;
    this.reply = reply;
    this.#options = options;
    this.#settling = settling;
    if (!options.signal) return;
    // V8 creates a function that is assigned to a member directly in the old generation. There it would keep all objects of the call
    // until a full collection.
    const onAbort = () => settling.owner.onAborted(this);
    this.#onAbort = onAbort;
    options.signal.addEventListener('abort', onAbort, { once: true });
  }

  get callId(): string | undefined {
    return this.#options.callId;
  }

  get host(): RequestHost | undefined {
    return this.#options.host;
  }

  get turn(): Turn | undefined {
    return this.#options.turn;
  }

  get taskId(): string | undefined {
    return this.#options.taskId;
  }

  get headers(): ChannelRequestOptions['headers'] {
    return this.#options.headers;
  }

  get abortReason(): unknown {
    return this.#options.signal?.reason;
  }

  get cancellation(): Cancellation {
    return this;
  }

  get onUnreadable(): (cause: unknown) => void {
    return (cause) => this.fail(cause);
  }

  /** Without this, a request whose stream the server closed would wait for its deadline. */
  get onRequestStreamEnd(): () => void {
    return () => this.fail(streamEnded(this.method));
  }

  /** Ends the request with its result; does nothing if it has ended. */
  succeed(result: JsonObject): void {
    if (this.#end()) this.#settling.resolve(result);
  }

  /** Ends the request with an error; does nothing if it has ended. */
  fail(cause: unknown): void {
    if (this.#end()) this.#settling.reject(cause);
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#onCancel?.();
  }

  isCancelled(): boolean {
    return this.#isCancelled;
  }

  onCancel(listener: () => void): void {
    this.#onCancel = listener;
    if (this.#isCancelled) listener();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    if (this.#onAbort) this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#settling.owner.onSettled(this);
    return true;
  }
}

function streamEnded(method: string): ToolwharfError {
  return new ConnectionError('SERVER_DISCONNECTED', `The server closed the stream without answering ${method}`, {
    data: { reached: true },
  });
}
