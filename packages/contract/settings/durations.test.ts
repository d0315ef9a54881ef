import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration, secondsAsMs } from './durations.ts';

describe('durations', () => {
  test.each([
    ['P0DT0H0M30S', 30_000],
    ['P0DT0H1M0S', 60_000],
    ['PT1M', 60_000],
    ['PT1H30M', 5_400_000],
    ['P1D', 86_400_000],
    ['P2W', 1_209_600_000],
    ['PT1.5S', 1500],
    ['PT0,25S', 250],
    ['PT0S', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    [' 30 s ', 30_000],
    [250, 250],
  ])('%j is %d milliseconds [M1]', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  test.each([
    ['P', /at least one number/],
    ['PT', /time must follow/],
    ['P1DT', /time must follow/],
    ['PT1H30', /needs its letter/],
    ['P1Y', /years and months/],
    ['P1M', /PT1M is one minute/],
    ['P1.5D', /needs its letter/],
    ['PT1.5H', /needs its letter/],
    ['P1W2D', /needs its letter/],
    ['pt1s', /write 30s/],
    ['-PT1S', /write 30s/],
    ['PT-1S', /needs its letter/],
    ['30', /needs a unit/],
    ['1h30m', /write 30s/],
    ['soon', /write 30s/],
    ['', /write 30s/],
    ['-5s', /write 30s/],
    [-1, /positive/],
    [Number.NaN, /positive/],
    [Number.POSITIVE_INFINITY, /too long/],
    ['99999999999999999999s', /too long/],
  ])('%j is rejected with a reason [M11]', (value, reason) => {
    expect(() => parseDuration(value)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => parseDuration(value)).toThrow(reason);
  });

  test('days, hours, minutes and seconds add up', () => {
    const part = fc.nat(1000);
    fc.assert(
      fc.property(part, part, part, part, (d, h, m, s) => {
        expect(parseDuration(`P${d}DT${h}H${m}M${s}S`)).toBe(((d * 24 + h) * 60 + m) * 60_000 + s * 1000);
      }),
    );
  });

  test('a number of seconds becomes milliseconds, and other values are left to the schema', () => {
    expect(secondsAsMs(60)).toBe(60_000);
    expect(secondsAsMs(1.1)).toBe(1100);
    expect(secondsAsMs('60s')).toBe('60s');
    expect(secondsAsMs(null)).toBe(null);
  });
});
