import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { tooLarge } from './body-meter.ts';
import { decoder } from './pool-response.ts';

/** What came back for one request: the text of a whole JSON answer, or whatever else it is, still to be read. */
export type Exchanged =
  | { readonly text: string }
  | {
      readonly text?: undefined;
      readonly data: Pick<Dispatcher.ResponseData, 'statusCode' | 'statusText' | 'headers'>;
      readonly body: Readable;
    };

export interface ExchangeOptions {
  readonly maxBytes: number;
  /** The longest silence inside a whole answer. */
  readonly idleMs: number;
  /** Takes who is told when the answer is not wanted any more. */
  readonly onEnded?: (listener: () => void) => void;
}

/** One request without undici's streams and promises, which cost more than the request where the answer is short JSON. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { maxBytes, idleMs, onEnded }: ExchangeOptions,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    let body: Readable | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let isUnwanted = false;
    let isSettled = false;
    onEnded?.(() => {
      isUnwanted = true;
      if (!isSettled) controller?.abort(unwanted());
    });

    function settle(): void {
      isSettled = true;
      clearTimeout(timer);
    }

    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (isUnwanted) started.abort(unwanted());
      },
      onResponseStart(started, statusCode, headers, statusText = '') {
        if (statusCode < 200) return;
        if (isWholeJson(statusCode, headers, maxBytes)) {
          timer = setTimeout(() => started.abort(wentSilent(idleMs)), idleMs).unref();
          return;
        }
        body = createBody(started);
        resolve({ data: { statusCode, statusText, headers }, body });
      },
      onResponseData(receiving, chunk) {
        if (body) {
          if (!body.push(chunk)) receiving.pause();
          return;
        }
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge('answer', maxBytes);
        parts.push(chunk);
        timer?.refresh();
      },
      onResponseEnd() {
        settle();
        if (body) body.push(null);
        else resolve({ text: decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes)) });
      },
      onResponseError(_controller, cause) {
        settle();
        if (body) body.destroy(cause);
        else reject(cause);
      },
    });
  });
}

function unwanted(): Error {
  return new DOMException('The answer was not wanted any more', 'AbortError');
}

function wentSilent(idleMs: number): Error {
  return new Error(`The server stopped in the middle of its answer for ${idleMs} ms`);
}

function isWholeJson(statusCode: number, headers: Dispatcher.ResponseData['headers'], maxBytes: number): boolean {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = headers;
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  return isJson && statusCode === 200 && encoding === undefined && Number(length ?? 0) <= maxBytes;
}

/** What comes, as it is asked for. Whoever ends it early ends the request. */
function createBody(controller: Dispatcher.DispatchController): Readable {
  return new Readable({
    read: () => controller.resume(),
    destroy(cause, done) {
      if (!this.readableEnded) controller.abort(cause ?? unwanted());
      done(cause);
    },
  });
}
