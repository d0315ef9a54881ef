import type { TransportSendOptions } from '@modelcontextprotocol/client';
import { ConnectionError, type ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { AbortSource } from '../kernel/abort-source.ts';
import type { Exchange, ExtraHeaders, RequestObserver } from './exchange.ts';
import type { ReplyMeter, RequestHost } from './request-host.ts';
import type { Turn } from './turns.ts';

/** How a request is sent. */
export interface ChannelSendOptions extends TransportSendOptions {
  /** Aborts when the request is to end before its reply. */
  readonly signal?: AbortSource;
  /** Fails the request: its reply arrived in a form that is not read, such as too large. */
  readonly onUnreadable?: (cause: ToolwharfError) => void;
  /** Counts the reply while it is received. */
  readonly reply?: ReplyMeter | undefined;
}

/** What one attempt to send a request uses. */
export interface SendingOptions {
  readonly turn?: Turn | undefined;
  readonly headers?: ExtraHeaders | undefined;
}

/** Receives the events of a pending request: its channel. */
export interface RequestOwner {
  /** The request has ended. */
  onSettled(request: PendingRequest): void;
  /** The request was cancelled. Calls `request.abort` when its transport need not wait for the reply any longer. */
  onAborted(request: PendingRequest): void;
  /** The server closed the stream of the request, which may have been cancelled, without answering it. */
  onStreamEnd(request: PendingRequest): void;
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
export class PendingRequest implements ChannelSendOptions, AbortSource {
  readonly id: number;
  readonly method: string;
  readonly reply: ReplyMeter | undefined;
  /** The turn of a request with a host on a legacy session. */
  readonly turn: Turn | undefined;
  readonly headers: ExtraHeaders | undefined;
  readonly #exchange: Exchange;
  readonly #settling: Settling;
  readonly #onAbort: (() => void) | undefined;
  #isOver = false;
  aborted = false;
  // Most requests have one listener at most.
  #listener: (() => void) | undefined;
  #others: (() => void)[] | undefined;

  constructor(
    id: number,
    method: string,
    exchange: Exchange,
    { turn, headers }: SendingOptions,
    reply: ReplyMeter | undefined,
    settling: Settling,
  ) {
    this.id = id;
    this.method = method;
    this.reply = reply;
    this.turn = turn;
    this.headers = headers;
    this.#exchange = exchange;
    this.#settling = settling;
    if (!exchange.signal) return;
    // V8 creates a function that is assigned to a member directly in the old generation. There it would keep all objects of the call
    // until a full collection.
    const onAbort = () => settling.owner.onAborted(this);
    this.#onAbort = onAbort;
    exchange.signal.addEventListener('abort', onAbort, { once: true });
  }

  get callId(): string | undefined {
    return this.#exchange.callId;
  }

  get host(): RequestHost | undefined {
    return this.#exchange.host;
  }

  get observer(): RequestObserver | undefined {
    return this.#exchange.observer;
  }

  get onFollow(): Exchange['onFollow'] {
    return this.#exchange.onFollow;
  }

  get taskId(): string | undefined {
    return this.#exchange.taskId;
  }

  get abortReason(): unknown {
    return this.#exchange.signal?.reason;
  }

  /** The request itself: aborted only when the server has been told, which takes a while after the signal of the exchange has aborted. */
  get signal(): AbortSource {
    return this;
  }

  get reason(): unknown {
    return this.abortReason;
  }

  get onUnreadable(): (cause: unknown) => void {
    return (cause) => this.fail(cause);
  }

  /** Without this, a request whose stream the server closed would wait for its deadline. */
  get onRequestStreamEnd(): () => void {
    return () => {
      this.fail(streamEnded(this.method));
      this.#settling.owner.onStreamEnd(this);
    };
  }

  /** Ends the request with its result; does nothing if it has ended. */
  succeed(result: JsonObject): void {
    if (this.#end()) this.#settling.resolve(result);
  }

  /** Ends the request with an error; does nothing if it has ended. */
  fail(cause: unknown): void {
    if (this.#end()) this.#settling.reject(cause);
  }

  /** Ends the exchange with the server; does nothing the second time. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#listener?.();
    for (const listener of this.#others ?? []) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener) this.#others = [...(this.#others ?? []), listener];
    else this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#others = this.#others?.filter((other) => other !== listener);
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    if (this.#onAbort) this.#exchange.signal?.removeEventListener('abort', this.#onAbort);
    this.#settling.owner.onSettled(this);
    return true;
  }
}

function streamEnded(method: string): ToolwharfError {
  return new ConnectionError('SERVER_DISCONNECTED', `The server closed the stream without answering ${method}`, {
    data: { reached: true },
  });
}
