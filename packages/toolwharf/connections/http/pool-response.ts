import type { Readable } from 'node:stream';
import { type NotificationThrottle, pieceBytes } from '../notification-throttle.ts';
import type { BodyMeter } from './body-meter.ts';

/** A body that has not been read, and its limits. */
export interface UnreadBody {
  readonly body: Readable;
  readonly meter: BodyMeter;
  /** The longest silence inside the body; 0 for no limit. */
  readonly idleMs: number;
  /** Describes a broken body. */
  readonly toError: (cause: unknown) => unknown;
}

export interface PoolResponseInit extends UnreadBody {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** Limits the rate at which the body is read; default unlimited. */
  readonly throttle?: NotificationThrottle;
}

/**
 * A real `Response` over an undici body. It reads the body from the socket's stream and creates a web stream only on
 * demand, because web streams are what makes `fetch` costly.
 */
export function createPoolResponse(init: PoolResponseInit): Response {
  const { status, statusText, headers, body } = init;
  const response = new Response(null, { status, statusText, headers });
  // The reader gets the error; an unread body must not end the process.
  body.on('error', () => {});
  if (status === 204 || status === 205 || status === 304) {
    body.resume();
    return response;
  }

  let stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  let used = false;

  function toStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    stream ??= createStream(init);
    return stream;
  }

  async function bytes(): Promise<Buffer<ArrayBuffer>> {
    if (used || stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    used = true;
    return stream ? Buffer.from(await new Response(stream).arrayBuffer()) : readAll(init);
  }

  const text = async () => decoder.decode(await bytes());
  const asPlain = async () => new Response(await bytes(), { status, statusText, headers });
  Object.defineProperties(response, {
    body: { get: toStream },
    bodyUsed: { get: () => used || (stream?.locked ?? false) },
    text: { value: text },
    json: { value: async () => JSON.parse(await text()) },
    bytes: { value: async () => new Uint8Array(await bytes()) },
    arrayBuffer: { value: async () => (await asPlain()).arrayBuffer() },
    blob: { value: async () => (await asPlain()).blob() },
    formData: { value: async () => (await asPlain()).formData() },
    clone: {
      value: () => {
        const [mine, theirs] = toStream().tee();
        stream = mine;
        return new Response(theirs, { status, statusText, headers });
      },
    },
  });
  return response;
}

export const decoder = new TextDecoder();

/** Reads the whole body. */
export function readAll({ body, meter, idleMs, toError }: UnreadBody): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer<ArrayBuffer>[] = [];
  return new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
    // A body that broke before now emits no second error.
    if (body.destroyed) return reject(toError(body.errored ?? new Error('The connection was closed')));
    const timer = startIdleTimer(body, idleMs);
    body.on('data', (chunk: Buffer<ArrayBuffer>) => {
      timer?.refresh();
      try {
        meter(chunk);
        parts.push(chunk);
      } catch (cause) {
        body.destroy(cause as Error);
      }
    });
    body.on('end', () => {
      clearTimeout(timer);
      resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    });
    body.on('error', (cause) => {
      clearTimeout(timer);
      reject(toError(cause));
    });
  });
}

/** The body as a web stream, at the rate that its throttle allows. */
function createStream({
  body,
  meter,
  idleMs,
  toError,
  throttle,
}: PoolResponseInit): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = body[Symbol.asyncIterator]();
  let cancelled = false;
  let rest: Buffer<ArrayBuffer> | undefined;

  /** The next chunk, cut into pieces if there is a throttle; undefined at the end. */
  async function next(): Promise<Buffer<ArrayBuffer> | undefined> {
    if (throttle?.isExceeded()) await throttle.wait();
    const { done, value } = rest ? { value: rest } : await iterator.next();
    if (done) return undefined;
    if (!rest) meter(value);
    const piece = throttle ? value.subarray(0, pieceBytes) : value;
    rest = piece.length < value.length ? value.subarray(pieceBytes) : undefined;
    return piece;
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const timer = startIdleTimer(body, idleMs);
        try {
          const piece = await next();
          if (piece) controller.enqueue(piece);
          else controller.close();
        } catch (cause) {
          body.destroy();
          if (cancelled) return;
          throw toError(cause);
        } finally {
          clearTimeout(timer);
        }
      },
      cancel() {
        cancelled = true;
        // Not through the iterator: that would wait for the next chunk, which an event stream may never send.
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

function startIdleTimer(body: Readable, idleMs: number): NodeJS.Timeout | undefined {
  if (idleMs <= 0) return undefined;
  return setTimeout(() => body.destroy(bodyTimedOut(idleMs)), idleMs).unref();
}

/** The error for a body that stopped before its end. */
export function bodyTimedOut(idleMs: number): Error {
  return new Error(`The server stopped in the middle of its answer for ${idleMs} ms`);
}
