import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { AbortSource } from '../../kernel/abort-source.ts';
import type { ReplyMeter } from '../request-host.ts';
import { tooLarge } from './body-meter.ts';
import { bodyTimedOut, decoder } from './pool-response.ts';

/** The status line and headers of a response. */
export type ResponseHead = Pick<Dispatcher.ResponseData, 'statusCode' | 'statusText' | 'headers'>;

/** The response to one request: the text of a complete JSON body, or the unread body of any other response. */
export type Exchanged =
  | { readonly head: ResponseHead; readonly text: string }
  | { readonly head: ResponseHead; readonly text?: undefined; readonly body: Readable };

export interface ExchangeLimits {
  readonly maxBytes: number;
  /** The longest silence inside a JSON body. */
  readonly idleMs: number;
}

export interface ExchangeOptions {
  readonly signal?: AbortSource;
  /** Counts a JSON body while it is received. */
  readonly reply?: ReplyMeter;
}

/** Sends one request without undici's streams and promises, which cost more than the request where the body is short JSON. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  options: ExchangeOptions = {},
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new HttpExchange(limits, options, resolve, reject));
  });
}

/** A class, because every call has one: methods on a prototype cost nothing per call. */
class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #reply: ReplyMeter | undefined;
  readonly #signal: AbortSource | undefined;
  readonly #resolve: (answer: Exchanged) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #text = new BodyText();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #body: Readable | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  #isSettled = false;

  constructor(
    limits: ExchangeLimits,
    { signal, reply }: ExchangeOptions,
    resolve: (answer: Exchanged) => void,
    reject: (cause: unknown) => void,
  ) {
    this.#limits = limits;
    this.#reply = reply;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal?.addEventListener('abort', () => {
      if (!this.#isSettled) this.#controller?.abort(cancelled());
    });
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.#controller = started;
    if (this.#signal?.aborted) started.abort(cancelled());
  }

  onResponseStart(
    started: Dispatcher.DispatchController,
    statusCode: number,
    headers: ResponseHead['headers'],
    statusText = '',
  ): void {
    if (statusCode < 200) return;
    this.#head = { statusCode, statusText, headers };
    const { maxBytes, idleMs } = this.#limits;
    if (isCompleteJson(statusCode, headers, maxBytes)) {
      this.#timer = setTimeout(abortSilent, idleMs, started, idleMs).unref();
      return;
    }
    this.#body = createBody(started);
    this.#resolve({ head: this.#head, body: this.#body });
  }

  onResponseData(receiving: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body) {
      if (!this.#body.push(chunk)) receiving.pause();
      return;
    }
    this.#bytes += chunk.length;
    const { maxBytes } = this.#limits;
    if (this.#bytes > maxBytes) throw tooLarge('answer', maxBytes);
    this.#reply?.receive(chunk);
    this.#text.push(chunk);
    this.#timer?.refresh();
  }

  onResponseEnd(): void {
    this.#settle();
    if (this.#body) this.#body.push(null);
    else this.#resolve({ head: this.#head as ResponseHead, text: this.#text.end() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#settle();
    if (this.#body) this.#body.destroy(cause);
    else this.#reject(cause);
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
  }
}

function abortSilent(controller: Dispatcher.DispatchController, idleMs: number): void {
  controller.abort(bodyTimedOut(idleMs));
}

/** Decodes a body at its end, or a large one while it arrives: decoding 60 MB at once would block the main thread. */
class BodyText {
  /** Most bodies arrive in one part. */
  #first: Buffer | undefined;
  #others: Buffer[] | undefined;
  #bytes = 0;
  #decoded = '';
  #streaming: typeof decoder | undefined;

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > largeBytes) this.#decode(chunk);
    else if (!this.#first) this.#first = chunk;
    else if (this.#others) this.#others.push(chunk);
    else this.#others = [chunk];
  }

  end(): string {
    if (this.#streaming) return this.#decoded + this.#streaming.decode();
    if (!this.#first) return '';
    return decoder.decode(this.#others ? Buffer.concat([this.#first, ...this.#others], this.#bytes) : this.#first);
  }

  #decode(chunk: Buffer): void {
    this.#streaming ??= new TextDecoder();
    const parts = [...(this.#first ? [this.#first] : []), ...(this.#others ?? []), chunk];
    for (const part of parts) this.#decoded += this.#streaming.decode(part, { stream: true });
    this.#first = undefined;
    this.#others = undefined;
  }
}

const largeBytes = 1024 * 1024;

function cancelled(): Error {
  return new DOMException('The request was cancelled', 'AbortError');
}

function isCompleteJson(statusCode: number, headers: Dispatcher.ResponseData['headers'], maxBytes: number): boolean {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = headers;
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  return isJson && statusCode === 200 && encoding === undefined && Number(length ?? 0) <= maxBytes;
}

/** The body of a response. Destroying it before its end aborts the request. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => controller.resume(),
    destroy(cause, done) {
      if (!this.readableEnded) controller.abort(cause ?? cancelled());
      done(cause);
    },
  });
  // The reader gets the error; an unread body must not end the process.
  return body.on('error', () => {});
}
