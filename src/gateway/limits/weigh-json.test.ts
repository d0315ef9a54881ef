import { expect, test } from 'vitest';
import { weighJson } from './weigh-json.ts';

const depthOf = (text: string) => weighJson(Buffer.from(text)).depth;

test('the depth of a JSON text counts nested arrays and objects, and ignores brackets in strings', () => {
  expect(depthOf('1')).toBe(0);
  expect(depthOf('{"a":[1,{"b":[]}],"c":{}}')).toBe(4);
  expect(depthOf('{"a":"[[[[","b":"\\"{{{{","c":"\\\\"}')).toBe(1);
  expect(depthOf('['.repeat(200_000))).toBe(200_000);
  expect(depthOf('"never ends [[[')).toBe(0);
});

test('the weight of a text with many small values is the memory they need', () => {
  const objects = Buffer.from(`[${'{},'.repeat(100_000)}{}]`);
  expect(weighJson(objects).bytes).toBeGreaterThan(20 * objects.length);
  const text = Buffer.from(JSON.stringify({ text: 'a'.repeat(1_000_000) }));
  expect(weighJson(text).bytes).toBeLessThan(1.01 * text.length);
});
