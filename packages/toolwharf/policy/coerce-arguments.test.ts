import { expect, test } from 'vitest';
import { coerceArguments } from './coerce-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    loud: { type: 'boolean' },
    name: { type: 'string' },
    either: { type: ['string', 'integer'] },
    tags: { type: 'array', items: { type: 'integer' } },
    place: { type: 'object', properties: { floor: { type: 'integer' } } },
  },
};

test('texts become the type that the schema requires, at every level', () => {
  const given = { count: '1', ratio: 'null', loud: 'true', tags: '["2", 3]', place: { floor: '4' } };
  expect(coerceArguments(schema, given)).toEqual({
    count: 1,
    ratio: null,
    loud: true,
    tags: [2, 3],
    place: { floor: 4 },
  });
  expect(coerceArguments(schema, { name: 7 })).toEqual({ name: '7' });
});

test('values that fit or cannot be converted stay as they are', () => {
  const given = { count: '1.5', loud: 'maybe', name: '7', either: '8', other: '9', tags: 'x' };
  expect(coerceArguments(schema, given)).toEqual(given);
});

test('a text with a number keeps its digits: 1.0 stays 1.0 where any number may stand, and is 1 where an integer is required', () => {
  const coerced = coerceArguments(schema, { count: '1.0', ratio: '1.0', place: { floor: '9007199254740993' } });
  expect(JSON.stringify(coerced)).toBe('{"count":1,"ratio":1.0,"place":{"floor":9007199254740993}}');
});

test('names of an object prototype are not taken for properties of the schema', () => {
  const given = JSON.parse('{"constructor":"1","__proto__":"2"}');
  expect(JSON.stringify(coerceArguments(schema, given))).toBe(JSON.stringify(given));
});
