import { describe, expect, test } from 'vitest';
import { findParamHeaders, toParamHeaders } from './param-headers.ts';

const schema = (properties: object) => ({ type: 'object', properties });
const tenant = { type: 'string', 'x-mcp-header': 'Tenant' };

describe('header declarations in a schema', () => {
  test('a header may be declared for strings, integers and booleans reached through properties', () => {
    const found = findParamHeaders(
      schema({ tenant, deep: schema({ dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } }) }),
    );
    expect(found).toEqual({
      ok: true,
      headers: [
        { header: 'Mcp-Param-Tenant', path: ['tenant'] },
        { header: 'Mcp-Param-Dry-Run', path: ['deep', 'dry'] },
      ],
    });
  });

  test('a header declared elsewhere, for another type, or with an invalid or duplicate name is rejected', () => {
    const bad = [
      { 'x-mcp-header': 'Root', type: 'object' },
      schema({ list: { type: 'array', items: tenant } }),
      { anyOf: [schema({ tenant })] },
      { $defs: { tenant }, type: 'object' },
      schema({ amount: { type: 'number', 'x-mcp-header': 'Amount' } }),
      schema({ a: { type: 'string', 'x-mcp-header': 'not a token' } }),
      schema({ a: { type: 'string', 'x-mcp-header': 7 } }),
      schema({ a: tenant, b: { type: 'string', 'x-mcp-header': 'TENANT' } }),
    ];
    for (const candidate of bad) expect(findParamHeaders(candidate).ok).toBe(false);
  });

  test('data that looks like a declaration declares nothing, and a property may be named x-mcp-header', () => {
    expect(findParamHeaders(schema({ a: { type: 'object', default: { 'x-mcp-header': 'X' } } })).ok).toBe(true);
    expect(findParamHeaders(schema({ properties: { type: 'string' } })).ok).toBe(true);
  });
});

describe('parameter headers of a call', () => {
  const declared = [
    { header: 'Mcp-Param-A', path: ['a'] },
    { header: 'Mcp-Param-B', path: ['b', 'c'] },
  ];

  test('printable text is sent unchanged and other text as base64', () => {
    expect(toParamHeaders(declared, { a: 'eu-west', b: { c: 7 } })).toEqual({
      'Mcp-Param-A': 'eu-west',
      'Mcp-Param-B': '7',
    });
    expect(toParamHeaders(declared, { a: 'Zürich', b: { c: true } })).toEqual({
      'Mcp-Param-A': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
      'Mcp-Param-B': 'true',
    });
    for (const odd of [' padded', 'line\nbreak', '', '=?base64?eA==?=']) {
      expect(toParamHeaders(declared, { a: odd })['Mcp-Param-A']).toBe(
        `=?base64?${Buffer.from(odd).toString('base64')}?=`,
      );
    }
  });

  test('an argument that is absent, null or not a simple value has no header', () => {
    expect(toParamHeaders(declared, { a: null, b: 'text' })).toEqual({});
    expect(toParamHeaders(declared, { a: Number.NaN, b: { c: 2 ** 60 } })).toEqual({});
    expect(toParamHeaders([{ header: 'X', path: ['constructor', 'name'] }], {})).toEqual({});
  });
});
