import { expect, test } from 'vitest';
import { formatBytes, formatSpan } from './format-amounts.ts';

test('a duration is shown in the largest exact unit', () => {
  const spans = [250, 1_000, 1_500, 90_000, 60_000, 5_400_000, 3_600_000, 7_776_000_000];
  expect(spans.map(formatSpan)).toEqual([
    '250 ms',
    '1 second',
    '1.5 seconds',
    '90 seconds',
    '1 minute',
    '90 minutes',
    '1 hour',
    '90 days',
  ]);
});

test('a size is shown in bytes, KiB or MiB', () => {
  expect([512, 262_144, 1_572_864, 10_485_760].map(formatBytes)).toEqual(['512 bytes', '256 KiB', '1.5 MiB', '10 MiB']);
});
