import { expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

test('secrets are redacted at any depth, and values without secrets are returned as the same object', () => {
  const redactor = createRedactor();
  redactor.add('swordfish');
  redactor.add('no');
  expect(redactor.text('the swordfish, no less')).toBe('the [redacted], no less');
  const clean = { a: ['x', { b: 1 }] };
  expect(redactor.value(clean)).toBe(clean);
  expect(redactor.value({ a: ['x', { b: 'is swordfish' }], n: 1 })).toEqual({ a: ['x', { b: 'is [redacted]' }], n: 1 });
});

test('without secrets, values are not traversed', () => {
  const value = Object.freeze({ a: 1 });
  expect(createRedactor().value(value)).toBe(value);
});
