import type { Readable } from 'node:stream';
import type { BodyMeter } from './body-meter.ts';

export interface PoolResponseInit {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Readable;
  readonly meter: BodyMeter;
  /** The longest silence inside the body; 0 for as long as it takes. */
  readonly idleMs: number;
  /** What a broken body is reported as. */
  readonly toError: (cause: unknown) => unknown;
}

/**
 * A real `Response` over an undici body. It reads the body straight from the socket's stream and builds a web stream
 * only when someone asks for one, because that is what makes fetch costly.
 */
export function createPoolResponse(init: PoolResponseInit): Response {
  const { status, statusText, headers, body } = init;
  const response = new Response(null, { status, statusText, headers });
  // Whoever reads gets the error; a body nobody reads must not end the process.
  body.on('error', () => {});
  if (status === 204 || status === 205 || status === 304) {
    body.resume();
    return response;
  }

  const chunks = createChunks(init);
  let stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  let used = false;

  function toStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    stream ??= new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          const chunk = await chunks.next();
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
        cancel: () => chunks.cancel(),
      },
      { highWaterMark: 0 },
    );
    return stream;
  }

  async function bytes(): Promise<Buffer<ArrayBuffer>> {
    if (used || stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    used = true;
    const parts: Uint8Array[] = [];
    const next = stream ? fromReader(stream) : chunks.next;
    for (let chunk = await next(); chunk; chunk = await next()) parts.push(chunk);
    return Buffer.concat(parts);
  }

  const text = async () => new TextDecoder().decode(await bytes());
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

interface Chunks {
  /** The next piece of the body, metered; undefined at its end. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  cancel(): void;
}

function createChunks({ body, meter, idleMs, toError }: PoolResponseInit): Chunks {
  const iterator = body[Symbol.asyncIterator]();
  let cancelled = false;
  return {
    async next() {
      const silence = new Error(`The server stopped in the middle of its answer for ${idleMs} ms`);
      const timer = idleMs > 0 ? setTimeout(() => body.destroy(silence), idleMs).unref() : undefined;
      try {
        const { done, value } = await iterator.next();
        if (done) return undefined;
        meter(value);
        return value;
      } catch (cause) {
        body.destroy();
        if (cancelled) return undefined;
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
  };
}

function fromReader(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Chunks['next'] {
  const reader = stream.getReader();
  return async () => (await reader.read()).value;
}
