import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly targets: readonly { readonly expr: string }[];
}

const rulesFile = join(root, 'deploy/prometheus/rules.yaml');
const groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] = parse(
  readFileSync(rulesFile, 'utf8'),
).groups;
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/toolwharf.json'), 'utf8'));
const panels: readonly Panel[] = dashboard.panels;
/** Grafana replaces its variables before Prometheus sees a query. */
const toQuery = (expr: string) =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h').replaceAll(/\$\w+/g, 'x');
const queries = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => toQuery(expr))),
];

/** The metrics that a query names; throws if it is no PromQL. */
function metricsIn(query: string): readonly string[] {
  const names: string[] = [];
  parser.parse(query).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`No PromQL at ${node.from}: ${query}`);
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        names.push(query.slice(node.from, node.to));
    },
  });
  return names;
}

function findPromtool(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'promtool'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

describe('the dashboard and the rules of deploy', () => {
  test('a query that is no PromQL is noticed', () => {
    expect(metricsIn('sum(rate(a_total[5m])) / b')).toEqual(['a_total', 'b']);
    expect(() => metricsIn('sum(rate(a_total[5m])')).toThrow('No PromQL');
    expect(() => metricsIn('a_total{x=}')).toThrow('No PromQL');
  });

  test('every query is PromQL over metrics that the gateway has', async () => {
    await using api = await startApi({ servers: { s: fixture('legacy') } });
    await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key: api.adminToken });
    const { body } = await api.get('/metrics', { key: api.adminToken });
    const known = new Set(
      [...String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' || type === 'summary' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    // Only a gateway with several replicas has it; test/fleet reads it there.
    known.add('toolwharf_replica_ready');
    const used = new Set(queries.flatMap(metricsIn));
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
    expect(used.size).toBeGreaterThan(15);
  });

  test('every rule has what Prometheus needs, and every alert says what is wrong and how urgent it is', () => {
    expect(groups.map(({ name }) => name)).toEqual(['toolwharf']);
    for (const { alert, record, labels, annotations, for: wait } of rules) {
      expect((alert === undefined) !== (record === undefined)).toBe(true);
      if (wait !== undefined) expect(wait).toMatch(/^\d+[smh]$/);
      if (alert === undefined) continue;
      expect(labels?.severity).toMatch(/^(info|warning|critical)$/);
      expect(annotations?.summary).toMatch(/\S/);
    }
    const names = rules.map(({ alert, record }) => alert ?? record);
    expect(new Set(names).size).toBe(names.length);
  });

  test('promtool accepts the rules, where it is installed', () => {
    const promtool = findPromtool();
    if (promtool === undefined) console.warn('promtool is not installed: the rules were parsed, and not checked by it');
    else expect(execFileSync(promtool, ['check', 'rules', rulesFile], { encoding: 'utf8' })).toContain('SUCCESS');
  });

  test('the dashboard can be imported: its panels have ids of their own, fit the grid, and use its variables', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos, title } of panels) {
      expect(title).not.toBe('');
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
    const variables = dashboard.templating.list.map(({ name }: { name: string }) => name);
    const used = [...JSON.stringify(panels).matchAll(/\$\{?([a-z]+)\b/g)].map(([, name]) => name);
    expect([...new Set(used)].filter((name) => !variables.includes(name))).toEqual([]);
  });
});
