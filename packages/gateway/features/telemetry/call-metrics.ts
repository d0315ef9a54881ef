import type { Metric, Registry } from 'prom-client';
import type { CallSummary } from '../../../toolwharf/plugins/plugin.ts';

export interface CallMetricsOptions {
  /** Maximum number of tool labels; further tools are counted as `other`. */
  readonly maxTools: number;
  /** Maximum number of server labels. */
  readonly maxServers: number;
}

/** Bounds the number of distinct values of a label: servers choose their tools' names, and every value is a series that stays. */
export function createBoundedNames(max: number): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (names.has(name)) return name;
    if (names.size >= max) return 'other';
    names.add(name);
    return name;
  };
}

/** The calls with the same labels. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** How many calls ended, and how many of them were sent to a tool. */
  ended: number;
  sent: number;
  seconds: number;
  /** The calls sent that took at most the bound of a bucket and longer than the one before. */
  readonly buckets: number[];
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/**
 * Counts calls. Series are kept here, and given to the registry when it is read: a counter of the library would sort and join the
 * labels of every call.
 */
export function createCallMetrics(registry: Registry, { maxTools, maxServers }: CallMetricsOptions) {
  const toolLabel = createBoundedNames(maxTools);
  const serverLabel = createBoundedNames(maxServers);
  const byOutcome = new Map<string, Map<string, Series>>();
  const byTool = new Map<string, Map<string, Series>>();

  function register(name: string, type: string, help: string, samples: () => Sample[]): void {
    const metric = { name, type, help, get: async () => ({ name, type, help, values: samples() }) };
    registry.registerMetric(metric as unknown as Metric);
  }

  register('tool_usage', 'summary', 'Number and duration in seconds of the calls sent to each tool.', () =>
    all(byTool).flatMap(({ labels, sent, seconds }) => [
      { metricName: 'tool_usage_sum', labels, value: seconds },
      { metricName: 'tool_usage_count', labels, value: sent },
    ]),
  );
  register('toolwharf_calls_total', 'counter', 'Calls that ended, by server and outcome.', () =>
    all(byOutcome).map(({ labels, ended }) => ({ labels, value: ended })),
  );
  const duration = 'toolwharf_call_duration_seconds';
  register(duration, 'histogram', 'Call duration in seconds, from dispatch to result.', () =>
    all(byOutcome)
      .filter(({ sent }) => sent > 0)
      .flatMap((series) => histogramOf(duration, series)),
  );

  /** Counts a call that has ended. */
  return (record: CallSummary): void => {
    const server = serverLabel(record.server ?? 'local');
    const outcome = seriesOf(byOutcome, server, 'status', record.end ?? record.status);
    outcome.ended++;
    const seconds = durationSeconds(record);
    if (seconds === undefined) return;
    add(outcome, seconds);
    add(seriesOf(byTool, server, 'tool', toolLabel(record.tool)), seconds);
  };
}

function seriesOf(map: Map<string, Map<string, Series>>, server: string, label: string, value: string): Series {
  let ofServer = map.get(server);
  if (!ofServer) {
    ofServer = new Map();
    map.set(server, ofServer);
  }
  let series = ofServer.get(value);
  if (!series) {
    series = { labels: { server, [label]: value }, ended: 0, sent: 0, seconds: 0, buckets: bounds.map(() => 0) };
    ofServer.set(value, series);
  }
  return series;
}

function add(series: Series, seconds: number): void {
  series.sent++;
  series.seconds += seconds;
  for (let at = 0; at < bounds.length; at++) {
    if (seconds > (bounds[at] as number)) continue;
    series.buckets[at] = (series.buckets[at] ?? 0) + 1;
    return;
  }
}

function all(map: ReadonlyMap<string, ReadonlyMap<string, Series>>): Series[] {
  return [...map.values()].flatMap((series) => [...series.values()]);
}

function histogramOf(name: string, { labels, buckets, sent, seconds }: Series): Sample[] {
  let atMost = 0;
  return [
    ...buckets.map((count, at) => {
      atMost += count;
      return { metricName: `${name}_bucket`, labels: { le: bounds[at] as number, ...labels }, value: atMost };
    }),
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: sent },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: sent },
  ];
}

function durationSeconds({ startedAt, completedAt }: CallSummary): number | undefined {
  if (startedAt === undefined || completedAt === undefined) return undefined;
  return Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)) / 1_000;
}
