import { expect, test } from 'vitest';
import { z } from 'zod';
import { ToolwharfError } from '../../contract/errors.ts';
import { parseConfig } from './load-config.ts';
import { parseSafely } from './parse-safely.ts';

// Found by fuzzing.
const trap = { length: { toString: {} } };

test('a map with a `length` member where text is expected is an ordinary problem', () => {
  const schema = z.strictObject({ a: z.string().min(1), b: z.array(z.number()).min(1).optional() });
  expect(parseSafely(schema, { a: 'x' })).toMatchObject({ success: true, data: { a: 'x' } });
  for (const value of [{ a: trap }, { a: 'x', b: trap }, [trap]])
    expect(parseSafely(schema, value)).toMatchObject({ success: false });
});

test('a configuration that contains such a map is rejected with its path', () => {
  const load = () => parseConfig({ servers: { a: { command: trap } } }, { env: {} });
  expect(load).toThrow(ToolwharfError);
  expect(load).toThrow('servers.a.command');
});
