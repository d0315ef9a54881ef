import { randomBytes } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { version } from '../../kernel/version.ts';

/** One piece of work in a trace. */
export interface Span {
  /** What the next one in line is told, as W3C Trace Context has it; undefined where nothing is traced. */
  readonly traceparent: string | undefined;
  end(outcome: { readonly isError: boolean; readonly message?: string }): void;
}

/** Tells an OpenTelemetry collector how long calls took, as parts of the traces their callers began. */
export interface Traces {
  /** `parent` is what the caller said; anything that is no trace context begins a new trace. */
  start(name: string, parent: unknown, attributes: Readonly<Record<string, string>>): Span;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Where no collector is configured: what callers say is passed on as it is. */
export const noTraces: Traces = {
  start: (_name, parent) => ({ traceparent: typeof parent === 'string' ? parent : undefined, end: () => {} }),
  close: async () => {},
};

export interface TracesOptions {
  /** OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly log: Log;
  /** 2 000. */
  readonly flushMs?: number;
  /** Spans that wait to be sent; more are dropped and counted. 4 096. */
  readonly maxWaiting?: number;
}

export function createTraces({ url, log, flushMs = 2_000, maxWaiting = 4_096 }: TracesOptions): Traces {
  let waiting: object[] = [];
  let dropped = 0;
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(flush, flushMs).unref();

  function flush(): void {
    if (waiting.length === 0) return;
    const spans = waiting;
    waiting = [];
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
      if (dropped > 0) log.warning('traces.dropped', `${dropped} spans were dropped: the collector is too slow`);
      dropped = 0;
    } catch (cause) {
      log.warning('traces.failed', `${spans.length} spans could not be sent: ${messageOf(cause)}`);
    }
  }

  return {
    start(name, parent, attributes) {
      const context = parse(parent);
      const traceId = context?.traceId ?? randomBytes(16).toString('hex');
      const spanId = randomBytes(8).toString('hex');
      const flags = context?.flags ?? '01';
      const startedAt = nanos();
      return {
        traceparent: `00-${traceId}-${spanId}-${flags}`,
        end({ isError, message }) {
          // The caller's sampling decision holds for its whole trace.
          if ((Number.parseInt(flags, 16) & 1) === 0) return;
          if (waiting.length >= maxWaiting) {
            dropped++;
            return;
          }
          waiting.push({
            traceId,
            spanId,
            ...(context && { parentSpanId: context.spanId }),
            name,
            kind: 3,
            startTimeUnixNano: startedAt,
            endTimeUnixNano: nanos(),
            attributes: Object.entries(attributes).map(toAttribute),
            status: isError ? { code: 2, ...(message !== undefined && { message }) } : { code: 1 },
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

function parse(parent: unknown): { traceId: string; spanId: string; flags: string } | undefined {
  const found =
    typeof parent === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) : undefined;
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId, flags } : undefined;
}

function nanos(): string {
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
