/** One operation in a trace. */
export interface Span {
  /** W3C Trace Context for the next hop; undefined if nothing is traced. */
  readonly traceparent: string | undefined;
  end(outcome: SpanOutcome): void;
}

export interface SpanOutcome {
  readonly isError: boolean;
  readonly message?: string;
  readonly attributes?: SpanAttributes;
  /** ISO time at which the operation began, if that was after the span started. */
  readonly startedAt?: string;
}

/** Attributes by name; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | undefined>>;

/** Exports operations to an OpenTelemetry collector, as children of their callers' traces. */
export interface Traces {
  /** False if there is no collector: then callers need not describe spans. */
  readonly isOn: boolean;
  /** Whether spans have the arguments and results of calls. */
  readonly hasContent: boolean;
  /**
   * `server`: a request that the gateway answers; `client`: one that it sends. `parent` is the caller's trace context; an invalid one starts
   * a new trace.
   */
  start(kind: 'server' | 'client', name: string, parent: unknown, attributes: SpanAttributes): Span;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** Used if no collector is configured: passes the caller's trace context on unchanged. */
export const noTraces: Traces = {
  isOn: false,
  hasContent: false,
  start: (_kind, _name, parent) => ({ traceparent: typeof parent === 'string' ? parent : undefined, end: () => {} }),
  close: async () => {},
};
