import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { nativeJsonSchema } from './native-json-schema.ts';

const file = new URL('../../../schema/toolwharf.schema.json', import.meta.url);
const schema = nativeJsonSchema();
const accepts = (value: unknown) => Compile(schema).Check(value);

describe('the published JSON Schema', () => {
  test('the published JSON Schema equals the schema generated from the code (otherwise run `npm run schema`)', () => {
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  test.each([
    { servers: { a: { command: 'npx', args: ['-y'], timeout: '30s' } }, toolbox: { maxConcurrent: 5 } },
    {
      $schema: 'x',
      servers: { a: { url: 'https://x.y', authentication: { type: 'bearer', token: 't' }, timeout: 5000 } },
    },
    { servers: { a: { command: 'x', retry_attempts: 1, default_tool_config: { max_instances: 1 } } } },
    { toolbox: { tools: [{ name: 'a' }] } },
    { toolbox: { tools: { a: { timeout: 'PT1S' } } } },
    { profiles: { team: { servers: ['a*'], approval: { mode: 'always-ask', trusted_tools: [] } } } },
    { gateway: { port: 0, allowed_hosts: ['x.y'], retention: { maxAge: '30d' }, database: '${DATABASE_URL}' } },
    {},
  ])('the published JSON Schema accepts %j', (value) => {
    expect(accepts(value)).toBe(true);
  });

  test.each([
    { server: {} },
    { servers: { a: {} } },
    { servers: { a: { command: 'x', url: 'https://x.y' } } },
    { servers: { a: { command: 'x', comand: 'y' } } },
    { servers: { a: { url: 'https://x.y', transport: 'pigeon' } } },
    { servers: { a: { url: 'https://x.y', authentication: { type: 'magic' } } } },
    { toolbox: { maxConcurrent: 0 } },
    { toolbox: { naming: 'fancy' } },
    { profiles: { 'My Team': {} } },
    { profiles: { team: { server: [] } } },
    { gateway: { port: 65_536 } },
    { gateway: { jwt: { issuer: 'x' } } },
  ])('the published JSON Schema rejects %j', (value) => {
    expect(accepts(value)).toBe(false);
  });

  test('the published JSON Schema describes every key, so that editors can show an explanation', () => {
    const undocumented: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (Array.isArray(node)) for (const item of node) visit(item, path);
      if (!isObject(node)) return;
      for (const [key, property] of Object.entries((node.properties ?? {}) as JsonObject)) {
        const described = isObject(property) && (property.description !== undefined || property.const !== undefined);
        if (!described) undocumented.push(`${path}.${key}`);
      }
      for (const [key, child] of Object.entries(node)) visit(child, key === 'properties' ? path : `${path}.${key}`);
    };
    visit(schema, '');
    expect(undocumented).toEqual([]);
  });
});
