import { randomBytes } from 'node:crypto';
import { messageOf } from '../../../contract/errors.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import type { Traces } from '../../core/calls/traces.ts';

export interface TracesOptions {
  /** An OTLP/HTTP endpoint such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly log: Log;
  /** Maximum number of unsent spans; further spans are dropped and counted; 4 096. */
  readonly maxBuffered?: number;
}

const flushMs = 2_000;

export function createTraces({ url, log, maxBuffered = 4_096 }: TracesOptions): Traces {
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
    start(name, parent, attributes) {
      const context = parseTraceparent(parent);
      const traceId = context?.traceId ?? randomBytes(16).toString('hex');
      const spanId = randomBytes(8).toString('hex');
      const flags = context?.flags ?? '01';
      const startedAt = nowNanos();
      return {
        traceparent: `00-${traceId}-${spanId}-${flags}`,
        end({ isError, message }) {
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
            kind: 3,
            startTimeUnixNano: startedAt,
            endTimeUnixNano: nowNanos(),
            attributes: Object.entries(attributes).map(toAttribute),
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

function nowNanos(): string {
  return String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n);
}

function toAttribute([key, value]: [string, string]): object {
  return { key, value: { stringValue: value } };
}

function toRequest(spans: readonly object[]): object {
  const resource = {
    attributes: [toAttribute(['service.name', 'toolwharf']), toAttribute(['service.version', version])],
  };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'toolwharf', version }, spans }] }] };
}
