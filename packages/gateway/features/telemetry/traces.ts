import { randomBytes } from 'node:crypto';
import { messageOf } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import type { Traces } from '../../core/calls/traces.ts';

export interface TracesOptions {
  /** An OTLP/HTTP endpoint such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly log: Log;
  /** Exports the arguments and results of calls; false. */
  readonly content?: boolean;
  /** Maximum number of unsent spans; further spans are dropped and counted; 4 096. */
  readonly maxBuffered?: number;
}

const flushMs = 2_000;

export function createTraces({ url, log, content = false, maxBuffered = 4_096 }: TracesOptions): Traces {
  let buffer: object[] = [];
  let dropped = 0;
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(flush, flushMs).unref();

  function flush(): void {
    if (buffer.length === 0) return;
    const spans = buffer;
    buffer = [];
    sending = sending.then(() => send(spans));
  }

  async function send(spans: readonly object[]): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(toRequest(spans)),
        redirect: 'manual',
        signal: AbortSignal.timeout(10_000),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      if (dropped > 0) log.warning('traces.dropped', `Dropped ${dropped} spans: the collector is too slow`);
      dropped = 0;
    } catch (cause) {
      log.warning('traces.failed', `Could not send ${spans.length} spans: ${messageOf(cause)}`);
    }
  }

  return {
    isOn: true,
    hasContent: content,
    start(kind, name, parent, attributes) {
      const context = parseTraceparent(parent);
      const traceId = context?.traceId ?? randomHex(16);
      const spanId = randomHex(8);
      const flags = context?.flags ?? '01';
      const startedAt = nowNanos();
      return {
        traceparent: `00-${traceId}-${spanId}-${flags}`,
        end({ isError, message, startedAt: began, attributes: more }) {
          // The caller's sampling decision applies to its whole trace.
          if ((Number.parseInt(flags, 16) & 1) === 0) return;
          if (buffer.length >= maxBuffered) {
            dropped++;
            return;
          }
          buffer.push({
            traceId,
            spanId,
            parentSpanId: context?.spanId,
            name,
            kind: spanKinds[kind],
            startTimeUnixNano: began === undefined ? startedAt : String(BigInt(Date.parse(began)) * 1_000_000n),
            endTimeUnixNano: nowNanos(),
            attributes: Object.entries({ ...attributes, ...more }).flatMap(toAttribute),
            status: isError ? { code: 2, message } : { code: 1 },
          });
        },
      };
    },
    async close() {
      clearInterval(timer);
      flush();
      await sending;
    },
  };
}

function parseTraceparent(parent: unknown): { traceId: string; spanId: string; flags: string } | undefined {
  const found =
    typeof parent === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) : undefined;
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId, flags } : undefined;
}

let pool = Buffer.alloc(0);
let used = 0;

/** Random bytes as hex. They are drawn in large portions: the request to the generator costs more than the bytes. */
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) [pool, used] = [randomBytes(4_096), 0];
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

function nowNanos(): string {
  return String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n);
}

/** As OTLP numbers them. */
const spanKinds = { server: 2, client: 3 } as const;

function toAttribute([key, value]: [string, string | undefined]): object[] {
  return value === undefined ? [] : [{ key, value: { stringValue: value } }];
}

function toRequest(spans: readonly object[]): object {
  const resource = {
    attributes: [
      ['service.name', 'toolwharf'] as [string, string],
      ['service.version', version] as [string, string],
    ].flatMap(toAttribute),
  };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'toolwharf', version }, spans }] }] };
}
