import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { canonicalJson, hashOf } from './canonical-json.ts';
import { isInexact, numberText } from './decimal.ts';
import {
  exactly,
  exactMember,
  findDuplicate,
  isRawNumber,
  jsonTextOf,
  memberWithText,
  parseExactly,
  parseJson,
  parseMessage,
  replaceMembers,
  restate,
  rewrite,
  toJsonText,
  toLine,
} from './exact-json.ts';

const spellings = [
  '9007199254740993',
  '-0',
  '1.0',
  '1e3',
  '1E400',
  '0.10',
  '123456789012345678901234567890',
  '-1.50e-7',
];

test.each(spellings)('the number %s is written as it was read', (spelling) => {
  const text = `{"a":[${spelling}],"text":"${spelling}"}`;
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test('numbers that JavaScript writes as they were are plain numbers', () => {
  expect(parseExactly('[0,1,-1,0.1,9007199254740991,1.5]')).toEqual([0, 1, -1, 0.1, 9007199254740991, 1.5]);
});

test('an object with the member of an exact number is an object', () => {
  const [number] = parseExactly('[9007199254740993]') as [unknown];
  expect(isRawNumber(number)).toBe(true);
  expect(isRawNumber({ rawJSON: '1' })).toBe(false);
  expect(isRawNumber(parseExactly('{"rawJSON":1.0}'))).toBe(false);
});

describe('a message', () => {
  const result = '{ "b":1.0, "1":2,"a":"\\u0041\\/" ,"x":{"result":{}}}';

  test.each([
    `{"jsonrpc":"2.0","id":7,"result":${result}}`,
    `{"result":${result},"jsonrpc":"2.0","id":7}`,
    ` {"id" : 7 , "result" : ${result} , "jsonrpc":"2.0" } `,
    `{"jsonrpc":"2.0","id":7,"more":[{"result":"}"}],"result":${result},"last":"\\""}`,
  ])('%s keeps the text of its result', (text) => {
    const message = parseMessage(text) as { id: number; result: JsonObject };
    expect(message).toMatchObject({ ...(JSON.parse(text) as JsonObject) });
    expect(jsonTextOf(message.result)).toBe(result);
  });

  test('each message of a batch keeps the text of its result', () => {
    const batch = parseMessage(`[ {"jsonrpc":"2.0","id":1,"result":{"a":1.0}} , {"jsonrpc":"2.0","method":"x"}]`);
    const [first, second] = batch as [{ result: JsonObject }, JsonObject];
    expect(jsonTextOf(first.result)).toBe('{"a":1.0}');
    expect(second).toEqual({ jsonrpc: '2.0', method: 'x' });
  });

  test.each(['{"jsonrpc":"2.0","id":1,"result":{}', '{"result":{}}}', '{"result":{} \u00a0}', 'text'])(
    '%s is refused as JSON.parse refuses it',
    (text) => {
      expect(() => parseMessage(text)).toThrow(SyntaxError);
    },
  );
});

describe('changes', () => {
  const text = '{"b" : 1.0,"a":{"id":9007199254740993},"_meta":{"n":1e2}, "__proto__":1}';
  const parse = () => parseJson(text) as JsonObject;

  test('members are added before the others, whose text stays', () => {
    const changed = replaceMembers(parse(), { c: 'new' });
    expect(toJsonText(changed)).toBe(`{"c":"new",${text.slice(1)}`);
    expect(changed).toMatchObject({ b: 1, c: 'new' });
    expect(toJsonText(replaceMembers(parseJson('{ }') as JsonObject, { c: 1 }))).toBe('{"c":1 }');
  });

  test('a member is replaced or removed, and the text of the others stays', () => {
    expect(toJsonText(replaceMembers(parse(), { _meta: { m: 1 }, b: undefined }))).toBe(
      '{"_meta":{"m":1},"a":{"id":9007199254740993},"__proto__":1}',
    );
  });

  test('all members with a replaced name are removed', () => {
    const twice = parseJson('{"a":1,"b":2.0,"\\u0061":3}') as JsonObject;
    expect(toJsonText(replaceMembers(twice, { a: 4 }))).toBe('{"a":4,"b":2.0}');
  });

  test('a change below keeps all digits, and has plain numbers for looking', () => {
    const changed = rewrite(parse(), (exact) => ({ ...exact, b: 'x' }));
    expect(toJsonText(changed)).toContain('"a":{"id":9007199254740993},"_meta":{"n":1e2}');
    expect(changed.a).toEqual({ id: 9007199254740992 });
    const same = parse();
    expect(rewrite(same, (exact) => exact)).toBe(same);
  });

  test('parts are read with all digits, or with their text', () => {
    expect(JSON.stringify(exactMember(parse(), 'a'))).toBe('{"id":9007199254740993}');
    expect(JSON.stringify(exactMember(parse(), 'b'))).toBe('1.0');
    expect(exactMember(parse(), 'missing')).toBeUndefined();
    expect(toJsonText({ outer: memberWithText(parse(), 'a') })).toBe('{"outer":{"id":9007199254740993}}');
    expect(exactly({ a: 1 })).toEqual({ a: 1 });
    expect(toJsonText(restate(parseExactly('{"a":1.0}') as JsonObject))).toBe('{"a":1.0}');
  });

  test('a value is written as JSON.stringify writes it', () => {
    const value = { a: undefined, b: [undefined, 1], c: new Date(0), d: { e: { f: { g: { h: 1 } } } }, n: null };
    expect(toJsonText(value)).toBe(JSON.stringify(value));
    expect(toJsonText(undefined)).toBe('null');
  });

  test('a text in one line has no line ends', () => {
    expect(toLine('{"a":\r\n1}')).toBe('{"a":  1}');
  });
});

test.each([
  ['{"a":1,"b":{"a":1,"c":[{"a":1},{"a":2}]}}', undefined],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['[{"x":{"b":"b","c":{},"b":1}}]', 'b'],
  ['{"a":"a\\"","b":["a","a"],"c":{"b":1}}', undefined],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('%s has the duplicate %s', (text, duplicate) => {
  expect(findDuplicate(text)).toBe(duplicate);
});

test('canonical JSON is equal for equal numbers, and different for others', () => {
  const hash = (text: string) => hashOf(parseExactly(text));
  expect(hash('{"a":9007199254740993}')).not.toBe(hash('{"a":9007199254740992}'));
  expect(hash('{"a":1.0}')).toBe(hash('{"a":1}'));
  expect(hash('{"a":-0}')).toBe(hash('{"a":0}'));
  expect(hash('{"a":1e3}')).toBe(hash('{"a":1000}'));
  expect(canonicalJson(parseExactly('[90071992547409930e-1]'))).toBe('[9007199254740993]');
});

test('a number is inexact if JavaScript has another value for it', () => {
  const raw = (text: string) => parseExactly(text) as { rawJSON: string };
  for (const text of ['1.0', '1e3', '-0', '0.10', '1000000000000000000000', '1e22'])
    expect(isInexact(raw(text))).toBe(false);
  for (const text of ['9007199254740993', '1e400', '0.10000000000000000001', '-12345678901234567890'])
    expect(isInexact(raw(text))).toBe(true);
  expect(numberText(raw('12345678901234567890.0'))).toBe('12345678901234567890');
});
