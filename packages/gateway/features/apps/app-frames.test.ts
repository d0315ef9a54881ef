import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFrameTokens, type FrameFacts } from './app-frames.ts';

const facts: FrameFacts = {
  sources: { connect: ['https://a.example'], resource: [], frame: [], baseUri: [] },
  ancestor: '127.0.0.1:7420',
};

test('a token is valid for five minutes, on every replica with the key', () => {
  let time = 1_000;
  const key = randomBytes(32);
  const token = createFrameTokens(key, () => time).seal(facts);
  const other = createFrameTokens(key, () => time);
  expect(other.open(token)).toEqual(facts);
  time += 5 * 60_000;
  expect(other.open(token)).toEqual(facts);
  time += 1;
  expect(other.open(token)).toBeUndefined();
});

test('a token with another policy, another key or another form is invalid', () => {
  const tokens = createFrameTokens(randomBytes(32));
  const [, signature] = tokens.seal(facts).split('.');
  const payload = Buffer.from(JSON.stringify({ facts: { ...facts, ancestor: '*' }, until: 1e15 })).toString(
    'base64url',
  );
  const foreign = createFrameTokens(randomBytes(32)).seal(facts);
  for (const token of [`${payload}.${signature}`, foreign, payload, '', '.', 'a.b.c', 'x'.repeat(100_000)])
    expect(tokens.open(token)).toBeUndefined();
});
