import { expect, test } from 'vitest';
import { countTokens } from './count-tokens.ts';

// The counts of OpenAI's o200k_base.
test.each([
  ['', 0],
  ['the quick brown fox jumps over 12345 dogs', 10],
  ['{"a":{"b":[1,2,3]}}', 12],
  ['获取天气预报和气象数据', 8],
  ['Wetterbericht für München abrufen', 7],
])('the estimate for %j differs by at most two tokens from %d', (text, tokens) => {
  expect(Math.abs(countTokens(text) - tokens)).toBeLessThanOrEqual(2);
});
