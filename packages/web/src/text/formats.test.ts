import { expect, test } from 'vitest';
import { formatAgo, formatBinaryBytes, formatBytes, formatDuration, formatP95, formatSpan } from './formats.ts';

test('a duration is shown in the largest exact unit', () => {
  const spans = [250, 1_000, 1_500, 90_000, 60_000, 5_400_000, 3_600_000, 7_776_000_000];
  expect(spans.map((ms) => formatSpan(ms))).toEqual([
    '250 milliseconds',
    '1 second',
    '1.5 seconds',
    '90 seconds',
    '1 minute',
    '90 minutes',
    '1 hour',
    '90 days',
  ]);
});

test('a running time is shown in milliseconds, seconds, minutes or hours', () => {
  expect([840, 3_240, 30_000, 125_000].map(formatDuration)).toEqual(['840 ms', '3.2 s', '30 s', '2 min 5 s']);
  expect([120_000, 5_400_000, 7_200_000].map(formatDuration)).toEqual(['2 min', '1 h 30 min', '2 h']);
});

test('a running time just below the next unit is rounded up to it', () => {
  const times = [999.6, 59_960, 119_700, 3_599_700].map(formatDuration);
  expect(times).toEqual(['1.0 s', '1 min', '2 min', '1 h']);
});

test('the 95th percentile of a few calls is named as their longest duration', () => {
  expect([1, 2, 19, 20].map((calls) => formatP95(calls, 120))).toEqual([
    '120 ms',
    'max 120 ms',
    'max 120 ms',
    'p95 120 ms',
  ]);
});

test('a size is shown in bytes, kB or MB, and a configured size exactly', () => {
  expect([1, 840, 12_300, 5_240_000].map(formatBytes)).toEqual(['1 byte', '840 bytes', '12 kB', '5.2 MB']);
  const configured = [512, 262_144, 1_572_864, 10_485_760];
  expect(configured.map(formatBinaryBytes)).toEqual(['512 bytes', '256 KiB', '1.5 MiB', '10 MiB']);
});

test('a moment is described relative to now', () => {
  const ago = [3, 40, 300, 7_300, 86_400, 400_000].map((seconds) => formatAgo(0, seconds * 1_000));
  expect(ago).toEqual(['just now', '40 seconds ago', '5 minutes ago', '2 hours ago', 'yesterday', '5 days ago']);
  expect(formatAgo(120_000, 0)).toBe('in 2 minutes');
});
