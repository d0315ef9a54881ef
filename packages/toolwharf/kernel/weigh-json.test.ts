import { expect, test } from 'vitest';
import { createJsonScale } from './weigh-json.ts';

function weighJson(text: Uint8Array) {
  const scale = createJsonScale();
  scale.add(text);
  return scale;
}

const depthOf = (text: string) => weighJson(Buffer.from(text)).depth;

test('the depth of a JSON text counts nested arrays and objects, and ignores brackets in strings', () => {
  expect(depthOf('1')).toBe(0);
  expect(depthOf('{"a":[1,{"b":[]}],"c":{}}')).toBe(4);
  expect(depthOf('{"a":"[[[[","b":"\\"{{{{","c":"\\\\"}')).toBe(1);
  expect(depthOf('['.repeat(200_000))).toBe(200_000);
  expect(depthOf('"never ends [[[')).toBe(0);
});

test('members of objects and all values are counted, and colons and commas in strings are not', () => {
  const { members, values } = weighJson(Buffer.from('{"a:,":[1,2,{"b":":"}],"a:,":{}}'));
  expect({ members, values }).toEqual({ members: 3, values: 7 });
});

test('a number of more than 16 characters counts as four values, and white space and texts do not', () => {
  const valuesOf = (text: string) => weighJson(Buffer.from(text)).values;
  expect(valuesOf('[1,-1.5e-300,1234567890123456]')).toBe(3);
  expect(valuesOf('[1,12345678901234567,-0.12345678901234567]')).toBe(9);
  expect(valuesOf(`[1,${' '.repeat(40)}2,"${'9'.repeat(40)}",true,null]`)).toBe(5);
});

test('the weight of a text with many small values is the memory they need', () => {
  const objects = Buffer.from(`[${'{},'.repeat(100_000)}{}]`);
  expect(weighJson(objects).bytes).toBeGreaterThan(20 * objects.length);
  const text = Buffer.from(JSON.stringify({ text: 'a'.repeat(1_000_000) }));
  expect(weighJson(text).bytes).toBeLessThan(1.01 * text.length);
});

test('a text weighs the same in parts of any size', () => {
  const text = Buffer.from(
    JSON.stringify([{ a: `\\"[${'x'.repeat(100)}\\\\`, b: ['"', '\\', '{'] }, 1, 2 ** 60, 'long'.repeat(50)]),
  );
  const { depth, bytes, values } = weighJson(text);
  for (let size = 1; size < text.length; size++) {
    const scale = createJsonScale();
    for (let at = 0; at < text.length; at += size) scale.add(text.subarray(at, at + size));
    expect(scale).toMatchObject({ depth, bytes, values });
  }
});
