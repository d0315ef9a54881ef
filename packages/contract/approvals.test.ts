import { expect, test } from 'vitest';
import { answerKeys } from './approvals.ts';

test('each key that answers an approval has one meaning', () => {
  const keys = Object.values(answerKeys);
  expect(new Set(keys).size).toBe(keys.length);
});
