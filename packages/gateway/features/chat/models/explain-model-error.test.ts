import { expect, test } from 'vitest';
import { explainModelError } from './explain-model-error.ts';

const setup = { name: 'Ours', apiKey: 'sk-secret-key' };
const failed = (fields: object) => explainModelError(Object.assign(new Error('failed'), fields), setup);

test.each([
  [{ statusCode: 403 }, /rejected the key \(HTTP 403\)/],
  [{ statusCode: 402 }, /no credit left/],
  [{ statusCode: 429, data: { error: { code: 'insufficient_quota', message: 'no' } } }, /no credit left/],
  [{ statusCode: 429, responseBody: '{"error":{"message":"slow"}}' }, /rate limit.*slow/],
  [{ statusCode: 529, responseBody: 'no json' }, /overloaded/],
  [{ statusCode: 400, responseBody: '[{"error":{"message":"The input token count exceeds 5"}}]' }, /too long/],
  [{ statusCode: 400, data: { error: { message: 'prompt is too long: 5 tokens' } } }, /too long/],
  [{ statusCode: 413 }, /too long/],
  [{ statusCode: 422, responseBody: '{"message":"odd"}' }, /rejected the request \(HTTP 422\).*odd/],
  [{ statusCode: 500, responseBody: '{"error":"broken"}' }, /failed \(HTTP 500\).*broken/],
  [{ type: 'overloaded_error', message: 'Overloaded' }, /overloaded/],
])('the error %j is explained with advice', (fields, sentence) => {
  expect(failed(fields)).toMatch(sentence);
});

test('the last attempt and the deepest cause of a broken connection are reported', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const last = new Error('Cannot connect', { cause: new TypeError('fetch failed', { cause }) });
  expect(explainModelError({ lastError: last, errors: [] }, setup)).toMatch(
    /could not be reached.*connect ECONNREFUSED 127\.0\.0\.1:1/,
  );
  expect(explainModelError(new TypeError('terminated'), setup)).toMatch(/could not be reached.*terminated/);
});

test('the explanation never contains the key and is short', () => {
  const explanation = failed({ statusCode: 400, data: { error: { message: `sk-secret-key ${'x'.repeat(5_000)}` } } });
  expect(explanation).not.toContain('sk-secret-key');
  expect(explanation.length).toBeLessThan(600);
  expect(explainModelError('plain text', setup)).toBe('Ours failed. Message of the provider: plain text');
  expect(explainModelError(undefined, setup)).toBe('Ours failed.');
});
