import { expect, test } from 'vitest';
import { maxAppText, toAppText } from './app-text.ts';

const block = (text: unknown) => ({ type: 'text', text });

test('an app can say texts and structured content', () => {
  expect(toAppText([block('one'), block('two')])).toBe('one\ntwo');
  expect(toAppText(undefined, { a: 1 })).toBe('{\n  "a": 1\n}');
  expect(toAppText([block('x')], { a: 1 })).toBe('x\n{\n  "a": 1\n}');
});

test('an app can say nothing else, and nothing that is too long', () => {
  for (const content of [undefined, [], 'text', [block('  ')], [block(1)], [{ type: 'image', data: '' }], [null]])
    expect(toAppText(content)).toBeUndefined();
  expect(toAppText([block('x'.repeat(maxAppText))])).toHaveLength(maxAppText);
  expect(toAppText([block('x'.repeat(maxAppText + 1))])).toBeUndefined();
});
