import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Cancellation } from '../cancellation.ts';
import type { ReplyMeter } from '../request-host.ts';
import { tooLarge } from './body-meter.ts';
import { bodyTimedOut, decoder } from './pool-response.ts';

/** The status line and headers of a response. */
export type ResponseHead = Pick<Dispatcher.ResponseData, 'statusCode' | 'statusText' | 'headers'>;

/** The response to one request: the text of a complete JSON body, or the unread body of any other response. */
export type Exchanged =
  | { readonly head: ResponseHead; readonly text: string }
  | { readonly head: ResponseHead; readonly text?: undefined; readonly body: Readable };

export interface ExchangeOptions {
  readonly maxBytes: number;
  /** The longest silence inside a JSON body. */
  readonly idleMs: number;
  readonly cancellation?: Cancellation;
  /** Counts a JSON body while it is received. */
  readonly reply?: ReplyMeter;
}

/** Sends one request without undici's streams and promises, which cost more than the request where the body is short JSON. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { maxBytes, idleMs, cancellation, reply }: ExchangeOptions,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const text = createTextReader();
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    let body: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let head: ResponseHead | undefined;
    let isSettled = false;
    cancellation?.onCancel(() => {
      if (!isSettled) controller?.abort(cancelled());
    });

    function settle(): void {
      isSettled = true;
      clearTimeout(timer);
    }

    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (cancellation?.isCancelled()) started.abort(cancelled());
      },
      onResponseStart(started, statusCode, headers, statusText = '') {
        if (statusCode < 200) return;
        head = { statusCode, statusText, headers };
        if (isCompleteJson(statusCode, headers, maxBytes)) {
          timer = setTimeout(() => started.abort(bodyTimedOut(idleMs)), idleMs).unref();
          return;
        }
        body = createBody(started);
        resolve({ head, body });
      },
      onResponseData(receiving, chunk) {
        if (body) {
          if (!body.push(chunk)) receiving.pause();
          return;
        }
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge('answer', maxBytes);
        reply?.receive(chunk);
        text.push(chunk);
        timer?.refresh();
      },
      onResponseEnd() {
        settle();
        if (body) body.push(null);
        else resolve({ head: head as ResponseHead, text: text.end() });
      },
      onResponseError(_controller, cause) {
        settle();
        if (body) body.destroy(cause);
        else reject(cause);
      },
    });
  });
}

/** Decodes a body at its end, or a large one while it arrives: decoding 60 MB at once would block the main thread. */
function createTextReader() {
  let parts: Buffer[] = [];
  let bytes = 0;
  let text = '';
  let streaming: typeof decoder | undefined;
  return {
    push(chunk: Buffer): void {
      bytes += chunk.length;
      parts.push(chunk);
      if (bytes <= largeBytes) return;
      streaming ??= new TextDecoder();
      for (const part of parts) text += streaming.decode(part, { stream: true });
      parts = [];
    },
    end: () =>
      streaming
        ? text + streaming.decode()
        : decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes)),
  };
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
