import { describe, expect, test } from 'vitest';
import { observeOutput } from './observe-output.ts';
import { schemaToType } from './schema-to-type.ts';

const typeOf = (...values: unknown[]) => schemaToType(observeOutput(values)?.schema, { readonly: false });
const driftOf = (...values: unknown[]) => observeOutput(values)?.drift;

describe('the observed output of a tool', () => {
  test('the type covers all results: members that some results lack are optional', () => {
    expect(typeOf({ id: 1, name: 'a' }, { id: 2 })).toBe('{ id: number; name?: string }');
    expect(typeOf({ at: null }, { at: 'x' })).toBe('{ at: null | string }');
    expect(typeOf([{ a: [1] }, { a: [] }])).toBe('({ a: number[] })[]');
    expect(typeOf('text', 'other')).toBe('string');
    expect(observeOutput([])).toBeUndefined();
  });

  test('names of members that are data are not part of the type', () => {
    expect(typeOf({ 'ann@example.com': { age: 1 }, 'bob@example.com': { age: 2 } })).toBe(
      'Record<string, { age: number }>',
    );
    expect(typeOf({ user20231: 1 })).toBe('Record<string, number>');
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, true]));
    expect(typeOf(many)).toBe('Record<string, boolean>');
  });

  test('the type contains no values, however deep', () => {
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: { i: 'secret' } } } } } } } } };
    expect(JSON.stringify(observeOutput([deep, { text: 'secret' }]))).not.toContain('secret');
  });

  test('a result that lacks a member, or has another type, is a drift', () => {
    const row = { rows: [{ id: 'a' }], count: 1 };
    expect(driftOf(row, row, row, row)).toEqual([]);
    expect(driftOf({ rows: [] }, row, row, row)).toEqual(['result.count is missing']);
    expect(driftOf({ rows: [{ id: 5 }], count: 1 }, row, row, row)).toEqual([
      'result.rows[].id is number instead of string',
    ]);
    expect(driftOf('text', row, row, row)).toEqual(['result is string instead of object']);
    // A new member does not break a script, and two earlier results prove nothing.
    expect(driftOf({ ...row, more: 1 }, row, row, row)).toEqual([]);
    expect(driftOf('text', row, row)).toEqual([]);
  });
});
