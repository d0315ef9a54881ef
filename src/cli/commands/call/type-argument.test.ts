import { describe, expect, test } from 'vitest';
import { UsageError } from '../../usage-error.ts';
import { typeArgument } from './type-argument.ts';

describe('a value on the command line takes the type its parameter has', () => {
  test.each([
    ['number', '3.5', 3.5],
    ['number', '-1e3', -1000],
    ['number', '.5', 0.5],
    ['integer', '42', 42],
    ['integer', '+7', 7],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['array', '["a",1]', ['a', 1]],
    ['object', '{"a":{"b":null}}', { a: { b: null } }],
    ['null', 'null', null],
    ['string', '42', '42'],
    ['string', 'true', 'true'],
    ['string', '', ''],
    ['any', '42', '42'],
    ['string | number', '42', '42'],
    ['number | boolean', 'true', true],
  ])('%s from %s', (type, text, value) => {
    expect(typeArgument('x', text, { type })).toEqual(value);
  });

  test.each([
    ['number', 'abc'],
    ['number', ''],
    ['number', 'NaN'],
    ['number', 'Infinity'],
    ['integer', '1.5'],
    ['boolean', 'yes'],
    ['array', '{"a":1}'],
    ['array', 'a,b'],
    ['object', '[]'],
    ['object', 'null'],
  ])('%s refuses %s and says what it wants', (type, text) => {
    expect(() => typeArgument('x', text, { type })).toThrow(UsageError);
    expect(() => typeArgument('x', text, { type })).toThrow(`Argument x: expected ${type}`);
  });

  test('a whole number that would be changed on the way is refused', () => {
    expect(() => typeArgument('id', '90071992547409931', { type: 'integer' })).toThrow('too large to be sent exactly');
  });

  test('an allowed value is found by its text, whatever its type', () => {
    expect(typeArgument('x', '2', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe(2);
    expect(typeArgument('x', 'three', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe('three');
  });

  test('a parameter the tool does not have is text', () => {
    expect(typeArgument('x', '1')).toBe('1');
  });
});
