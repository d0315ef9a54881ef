import { describe, expect, test } from 'vitest';
import { UsageError } from '../../command-errors.ts';
import { parseArgument } from './parse-argument.ts';

describe('a name=value argument is converted to the type of its parameter', () => {
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
  ])('type %s, text %s', (type, text, value) => {
    expect(parseArgument('x', text, { type })).toEqual(value);
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
  ])('type %s rejects the text %s and names the expected type', (type, text) => {
    expect(() => parseArgument('x', text, { type })).toThrow(UsageError);
    expect(() => parseArgument('x', text, { type })).toThrow(`Argument x: expected ${type}`);
  });

  test('an integer that cannot be represented exactly is rejected', () => {
    expect(() => parseArgument('id', '90071992547409931', { type: 'integer' })).toThrow(
      'too large for an exact integer',
    );
  });

  test('a value of an enum is found by its text, whatever its type', () => {
    expect(parseArgument('x', '2', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe(2);
    expect(parseArgument('x', 'three', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe('three');
  });

  test('an unknown parameter is text', () => {
    expect(parseArgument('x', '1')).toBe('1');
  });
});
