import { expect, test } from 'vitest';
import { describeUnsuccessful } from './overview-queries.ts';

const none = { calls: 9, success: 9, error: 0, denied: 0, expired: 0, invalid: 0, cancelled: 0, unknown: 0 };

test('failed, denied, invalid, cancelled and unknown calls are counted apart', () => {
  expect(describeUnsuccessful({ ...none, error: 2, invalid: 3, cancelled: 3, unknown: 1 })).toBe(
    '2 failed, 3 invalid, 3 cancelled, 1 unknown',
  );
  expect(describeUnsuccessful({ ...none, denied: 1 })).toBe('1 denied');
  expect(describeUnsuccessful(none)).toBe('none failed');
});
