/** One operation in a trace. */
export interface Span {
  /** W3C Trace Context for the next hop; undefined if nothing is traced. */
  readonly traceparent: string | undefined;
  end(outcome: { readonly isError: boolean; readonly message?: string }): void;
}

/** Exports the duration of calls to an OpenTelemetry collector, as children of their callers' traces. */
export interface Traces {
  /** False if there is no collector: then callers need not describe spans. */
  readonly isOn: boolean;
  /** `parent` is the caller's trace context; an invalid one starts a new trace. */
  start(name: string, parent: unknown, attributes: Readonly<Record<string, string>>): Span;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** Used if no collector is configured: passes the caller's trace context on unchanged. */
export const noTraces: Traces = {
  isOn: false,
  start: (_name, parent) => ({ traceparent: typeof parent === 'string' ? parent : undefined, end: () => {} }),
  close: async () => {},
};
