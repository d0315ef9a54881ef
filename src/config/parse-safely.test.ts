import { expect, test } from 'vitest';
import { z } from 'zod';
import { ToolwharfError } from '../kernel/errors.ts';
import { parseConfig } from './load-config.ts';
import { parseSafely } from './parse-safely.ts';

// Found by fuzzing.
const trap = { length: { toString: {} } };

test('a map with a length of its own in the place of a text is a problem like any other', () => {
  const schema = z.strictObject({ a: z.string().min(1), b: z.array(z.number()).min(1).optional() });
  expect(parseSafely(schema, { a: 'x' })).toMatchObject({ success: true, data: { a: 'x' } });
  for (const value of [{ a: trap }, { a: 'x', b: trap }, [trap]])
    expect(parseSafely(schema, value)).toMatchObject({ success: false });
});

test('a configuration with one says where it is', () => {
  const load = () => parseConfig({ servers: { a: { command: trap } } }, { env: {} });
  expect(load).toThrow(ToolwharfError);
  expect(load).toThrow('servers.a.command');
});
