import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { createCallMetrics } from './call-metrics.ts';

const at = (ms: number) => new Date(ms).toISOString();
const ended = (tool: string, ms: number, changes: Partial<CallRecord> = {}) =>
  ({ server: 'files', tool, status: 'success', startedAt: at(0), completedAt: at(ms), ...changes }) as CallRecord;

test('calls are counted by outcome, and those that were sent by duration and tool', async () => {
  const registry = new Registry();
  const count = createCallMetrics(registry, { maxTools: 1, maxServers: 10 });
  count(ended('read', 5));
  count(ended('read', 2_000));
  count(ended('write', 500_000, { status: 'error', end: 'timeout' }));
  count(ended('read', 0, { status: 'error', end: 'denied', startedAt: undefined }));
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '# TYPE tool_usage summary',
      'tool_usage_count{server="files",tool="read"} 2',
      'tool_usage_sum{server="files",tool="read"} 2.005',
      'tool_usage_count{server="files",tool="other"} 1',
      '# TYPE toolwharf_calls_total counter',
      'toolwharf_calls_total{server="files",status="success"} 2',
      'toolwharf_calls_total{server="files",status="timeout"} 1',
      'toolwharf_calls_total{server="files",status="denied"} 1',
      '# TYPE toolwharf_call_duration_seconds histogram',
      'toolwharf_call_duration_seconds_bucket{le="0.001",server="files",status="success"} 0',
      'toolwharf_call_duration_seconds_bucket{le="0.005",server="files",status="success"} 1',
      'toolwharf_call_duration_seconds_bucket{le="1",server="files",status="success"} 1',
      'toolwharf_call_duration_seconds_bucket{le="5",server="files",status="success"} 2',
      'toolwharf_call_duration_seconds_bucket{le="+Inf",server="files",status="success"} 2',
      'toolwharf_call_duration_seconds_count{server="files",status="success"} 2',
      'toolwharf_call_duration_seconds_bucket{le="300",server="files",status="timeout"} 0',
      'toolwharf_call_duration_seconds_bucket{le="+Inf",server="files",status="timeout"} 1',
    ]),
  );
  expect(lines.join('\n')).not.toContain('seconds_count{server="files",status="denied"}');
});

test('tools without a server are counted as those of the server local', async () => {
  const registry = new Registry();
  createCallMetrics(registry, { maxTools: 1, maxServers: 10 })(ended('sum', 5, { server: undefined }));
  expect(await registry.metrics()).toContain('tool_usage_count{server="local",tool="sum"} 1');
});
