import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { ApprovalStore } from '../../policy/approval-store.ts';
import type { Toolbox } from '../../toolbox.ts';
import type { EventLog } from '../events/event-log.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { createBoundedNames } from './bounded-names.ts';

export interface MetricsOptions {
  readonly toolbox: Toolbox;
  readonly approvals: ApprovalStore;
  readonly mcp: Pick<McpEndpoint, 'open'>;
  readonly events: Pick<EventLog, 'listeners'>;
  /** Tools with a series of their own; the rest is counted as `other`; 2 000. */
  readonly maxTools?: number;
  /** 500. */
  readonly maxServers?: number;
}

/** What Prometheus reads. Counting costs a call next to nothing; the rest is looked up when it is read. */
export interface Metrics {
  readonly contentType: string;
  read(): Promise<string>;
}

const states = ['disconnected', 'connecting', 'connected', 'degraded', 'error'] as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const { toolbox, approvals, mcp, events, maxTools = 2_000, maxServers = 500 } = options;
  const registry = new Registry();
  const registers = [registry];
  const toolNames = createBoundedNames(maxTools);
  const serverNames = createBoundedNames(maxServers);

  const usage = new Summary({
    name: 'tool_usage',
    help: 'Calls that were sent to their tool, and how long they took in seconds.',
    labelNames: ['tool'],
    percentiles: [],
    registers,
  });
  const calls = new Counter({
    name: 'toolwharf_calls_total',
    help: 'Calls that ended: success, or why not.',
    labelNames: ['server', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'toolwharf_call_duration_seconds',
    help: 'How long calls took, from being sent until the answer.',
    labelNames: ['server', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
    registers,
  });

  toolbox.on('call.changed', (record) => {
    if (record.completedAt === undefined) return;
    const labels = { server: serverNames.take(record.server ?? ''), status: record.end ?? record.status };
    calls.inc(labels);
    const seconds = secondsOf(record);
    if (seconds === undefined) return;
    duration.observe(labels, seconds);
    usage.observe({ tool: toolNames.take(record.tool) }, seconds);
  });

  function gauge(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value());
      },
    });
  }
  gauge('toolwharf_calls_running', 'Calls that run now.', () => toolbox.stats().running);
  gauge('toolwharf_calls_queued', 'Calls that wait for a place now.', () => toolbox.stats().queued);
  gauge('toolwharf_tools', 'Tools in the catalog.', () => toolbox.tools.length);
  gauge('toolwharf_mcp_sessions', 'Open sessions of MCP clients.', () => mcp.open.sessions);
  gauge('toolwharf_mcp_subscriptions', 'Open subscriptions of MCP clients.', () => mcp.open.subscriptions);
  gauge('toolwharf_event_listeners', 'Open event streams.', () => events.listeners);
  gauge('toolwharf_approvals_pending', 'Questions that wait for a person, up to 1000.', async () => {
    await approvals.expire(Date.now());
    return (await approvals.list({ status: 'pending', limit: 1_000 })).length;
  });
  gauge('process_resident_memory_bytes', 'Memory of the gateway.', () => process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'When the gateway was started.', () =>
    Math.round(performance.timeOrigin / 1_000),
  );
  new Gauge({
    name: 'toolwharf_server_state',
    help: '1 for the state a server is in, 0 for the others.',
    labelNames: ['server', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { name, status } of toolbox.servers().slice(0, maxServers)) {
        for (const state of states) this.set({ server: name, state }, status.state === state ? 1 : 0);
      }
    },
  });

  return { contentType: registry.contentType, read: () => registry.metrics() };
}

function secondsOf({ startedAt, completedAt }: CallRecord): number | undefined {
  if (startedAt === undefined || completedAt === undefined) return undefined;
  return Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)) / 1_000;
}
