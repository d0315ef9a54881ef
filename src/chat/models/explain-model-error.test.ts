import { expect, test } from 'vitest';
import { explainModelError } from './explain-model-error.ts';

const setup = { name: 'Ours', apiKey: 'sk-secret-key' };
const failed = (fields: object) => explainModelError(Object.assign(new Error('failed'), fields), setup);

test.each([
  [{ statusCode: 403 }, /refused the key \(HTTP 403\)/],
  [{ statusCode: 402 }, /nothing left to spend/],
  [{ statusCode: 429, data: { error: { code: 'insufficient_quota', message: 'no' } } }, /nothing left to spend/],
  [{ statusCode: 429, responseBody: '{"error":{"message":"slow"}}' }, /takes no more requests.*slow/],
  [{ statusCode: 529, responseBody: 'no json' }, /overloaded/],
  [{ statusCode: 400, responseBody: '[{"error":{"message":"The input token count exceeds 5"}}]' }, /too long/],
  [{ statusCode: 400, data: { error: { message: 'prompt is too long: 5 tokens' } } }, /too long/],
  [{ statusCode: 413 }, /too long/],
  [{ statusCode: 422, responseBody: '{"message":"odd"}' }, /refused the request \(HTTP 422\).*odd/],
  [{ statusCode: 500, responseBody: '{"error":"broken"}' }, /failed \(HTTP 500\).*broken/],
  [{ type: 'overloaded_error', message: 'Overloaded' }, /overloaded/],
])('%j is told so that a person can act on it', (fields, sentence) => {
  expect(failed(fields)).toMatch(sentence);
});

test('the last of several tries counts, and the deepest reason of a broken connection', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const last = new Error('Cannot connect', { cause: new TypeError('fetch failed', { cause }) });
  expect(explainModelError({ lastError: last, errors: [] }, setup)).toMatch(
    /could not be reached.*connect ECONNREFUSED 127\.0\.0\.1:1/,
  );
  expect(explainModelError(new TypeError('terminated'), setup)).toMatch(/could not be reached.*terminated/);
});

test('nothing in it is the key, and nothing is longer than it must be', () => {
  const told = failed({ statusCode: 400, data: { error: { message: `sk-secret-key ${'x'.repeat(5_000)}` } } });
  expect(told).not.toContain('sk-secret-key');
  expect(told.length).toBeLessThan(600);
  expect(explainModelError('plain text', setup)).toBe('Ours failed. It said: plain text');
  expect(explainModelError(undefined, setup)).toBe('Ours failed.');
});
