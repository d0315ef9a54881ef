import { Counter, Gauge, Registry } from 'prom-client';
import { connectionStates } from '../../../contract/connections.ts';
import { waitAtMost } from '../../../toolwharf/kernel/wait.ts';
import type { CallSummary } from '../../../toolwharf/plugins/plugin.ts';
import type { ApprovalStore } from '../../../toolwharf/policy/approval-store.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { StoredApprover } from '../../core/calls/stored-approver.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { Limits } from '../../core/http/limits/limits.ts';
import type { McpEndpoint } from '../../core/mcp/endpoint.ts';
import type { Fleet, ReplicaHealth } from '../../core/replicas/fleet.ts';
import { createCallMetrics } from './call-metrics.ts';

/** Maximum number of tool labels; further tools are counted as `other`. */
const maxTools = 2_000;
/** Maximum number of server labels. */
const maxServers = 500;

export interface MetricsOptions {
  readonly toolbox: InternalToolbox;
  readonly approvals: ApprovalStore;
  readonly approver: Pick<StoredApprover, 'refusals'>;
  readonly mcp: Pick<McpEndpoint, 'open'>;
  readonly events: Pick<EventLog, 'listeners'>;
  readonly limits: Pick<Limits, 'quotas' | 'heap' | 'heapRefusals'>;
  /** In a fleet, all metrics have the label `replica`, because a balancer may answer for any of them. */
  readonly fleet?: Pick<Fleet, 'replica' | 'appliedRevision'>;
  /** Undefined if no other process can use the database. */
  readonly replica?: ReplicaHealth;
}

/** The gateway's metrics in Prometheus format. */
export interface Metrics {
  readonly contentType: string;
  /** Counts a call that has ended. */
  readonly countCall: (call: CallSummary) => void;
  read(): Promise<string>;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const { toolbox, approvals, approver, mcp, events, limits, replica } = options;
  const registry = new Registry();
  const registers = [registry];
  const { fleet } = options;
  if (fleet?.replica !== undefined) {
    registry.setDefaultLabels({ replica: fleet.replica });
    new Gauge({
      name: 'toolwharf_configuration_revision',
      help: 'Revision of the stored configuration that this replica has applied.',
      registers,
      collect() {
        this.set(fleet.appliedRevision);
      },
    });
  }
  const countCall = createCallMetrics(registry, { maxTools, maxServers });

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
  gauge('toolwharf_calls_running', 'Calls running now.', () => toolbox.calls.stats().running);
  gauge('toolwharf_calls_queued', 'Calls waiting in the queue.', () => toolbox.calls.stats().queued);
  gauge(
    'toolwharf_calls_unanswered',
    'Calls that timed out or were cancelled and keep their permits, because their servers have not answered.',
    () => toolbox.calls.stats().unanswered ?? 0,
  );
  gauge('toolwharf_tools', 'Tools in the catalog.', () => toolbox.catalog.entries.length);
  gauge('toolwharf_mcp_sessions', 'Open MCP client sessions.', () => mcp.open.sessions);
  gauge('toolwharf_mcp_subscriptions', 'Open MCP client subscriptions.', () => mcp.open.subscriptions);
  gauge('toolwharf_event_listeners', 'Open event streams.', () => events.listeners);
  const countPending = createPendingCount(approvals);
  new Gauge({
    name: 'toolwharf_approvals_pending',
    help: 'Approvals waiting for an answer; missing while the store does not answer.',
    registers,
    async collect() {
      const pending = await countPending();
      if (pending === undefined) this.remove();
      else this.set(pending);
    },
  });
  gauge('process_resident_memory_bytes', 'Resident memory of the gateway process in bytes.', () =>
    process.memoryUsage.rss(),
  );
  gauge('process_start_time_seconds', 'Start time of the gateway process as a Unix timestamp.', () =>
    Math.round(performance.timeOrigin / 1_000),
  );
  if (replica) {
    gauge(
      'toolwharf_replica_ready',
      '1 if this replica has a lease and can lease permits; 0 if calls are refused.',
      () => (replica.reasons().length === 0 ? 1 : 0),
    );
    gauge(
      'toolwharf_lease_epoch',
      'How many leases this replica has taken; above 1 after one was lost.',
      () => replica.epoch,
    );
    gauge('toolwharf_permits_leased', 'Permits for calls that this replica has leased.', () => replica.permits);
  }
  new Gauge({
    name: 'toolwharf_limit_used',
    help: 'How much of each limit is used by all callers together.',
    labelNames: ['limit'],
    registers,
    async collect() {
      for (const { name, used } of limits.quotas) this.set({ limit: name }, used);
      const pending = await countPending();
      if (pending === undefined) this.remove({ limit: 'approvals' });
      else this.set({ limit: 'approvals' }, pending);
      this.set({ limit: 'queued_calls' }, toolbox.calls.stats().queued);
    },
  });
  new Gauge({
    name: 'toolwharf_limit_max',
    help: 'The value of each limit for all callers together.',
    labelNames: ['limit'],
    registers,
    collect() {
      for (const { name, limit } of limits.quotas) this.set({ limit: name }, limit);
      this.set({ limit: 'approvals' }, toolbox.config.gateway.limits.maxPendingApprovals);
      this.set({ limit: 'queued_calls' }, toolbox.config.toolbox.maxQueued);
    },
  });
  new Counter({
    name: 'toolwharf_refusals_total',
    help: 'Requests that were rejected because of a limit, by limit and by whose limit it was: `caller` or `total`.',
    labelNames: ['limit', 'reason'],
    registers,
    collect() {
      this.reset();
      const others = [
        { name: 'approvals', refusals: approver.refusals },
        { name: 'queued_calls', refusals: toolbox.queueRefusals ?? { caller: 0, total: 0 } },
      ];
      for (const { name, refusals } of [...limits.quotas, ...others]) {
        this.inc({ limit: name, reason: 'caller' }, refusals.caller);
        this.inc({ limit: name, reason: 'total' }, refusals.total);
      }
      this.inc({ limit: 'heap', reason: 'total' }, limits.heapRefusals);
    },
  });
  new Counter({
    name: 'toolwharf_plugin_items_total',
    help: 'Calls and events that the exporters of plugins took, and that were dropped.',
    labelNames: ['plugin', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { name, exported, dropped } of toolbox.plugins()) {
        if (exported !== undefined) this.inc({ plugin: name, outcome: 'exported' }, exported);
        if (dropped !== undefined) this.inc({ plugin: name, outcome: 'dropped' }, dropped);
      }
    },
  });
  const hookNames = ['hook', 'plugin'] as const;
  new Counter({
    name: 'toolwharf_plugin_hook_seconds_total',
    help: 'Time in seconds that the hooks of plugins took.',
    labelNames: hookNames,
    registers,
    collect() {
      this.reset();
      for (const { name, hooks } of toolbox.plugins())
        for (const { hook, totalMs } of hooks) this.inc({ plugin: name, hook }, totalMs / 1_000);
    },
  });
  new Counter({
    name: 'toolwharf_plugin_hook_runs_total',
    help: 'Runs of the hooks of plugins: `ok`, `failed`, and `shadowed` where a plugin in shadow mode would have had an effect.',
    labelNames: [...hookNames, 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { name, hooks } of toolbox.plugins())
        for (const { hook, runs, failures, shadowed } of hooks) {
          this.inc({ plugin: name, hook, outcome: 'ok' }, Math.max(0, runs - failures - shadowed));
          this.inc({ plugin: name, hook, outcome: 'failed' }, failures);
          this.inc({ plugin: name, hook, outcome: 'shadowed' }, shadowed);
        }
    },
  });
  gauge('toolwharf_heap_used_ratio', 'The used fraction of the heap; requests are rejected near 1.', () => {
    limits.heap.level();
    return limits.heap.fraction;
  });
  new Gauge({
    name: 'toolwharf_server_state',
    help: '1 for the current state of a server, 0 for every other state.',
    labelNames: ['server', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { name, status } of toolbox.servers.list().slice(0, maxServers)) {
        for (const state of connectionStates) this.set({ server: name, state }, status.state === state ? 1 : 0);
      }
    },
  });

  return { contentType: registry.contentType, countCall, read: () => registry.metrics() };
}

/** How long the metrics wait for the store. */
const storeWaitMs = 1_000;

/** Counts the pending approvals, once for all metrics that are read together. Undefined if the store does not answer in time. */
function createPendingCount(approvals: Pick<ApprovalStore, 'countPending'>): () => Promise<number | undefined> {
  let counting: Promise<number | undefined> | undefined;
  return async () => {
    counting ??= approvals
      .countPending(Date.now())
      .catch(() => undefined)
      .finally(() => {
        counting = undefined;
      });
    let pending: number | undefined;
    const counted = counting.then((count) => {
      pending = count;
    });
    await waitAtMost(counted, storeWaitMs);
    return pending;
  };
}
