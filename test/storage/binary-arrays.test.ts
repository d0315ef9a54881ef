import { expect, test } from 'vitest';
import { encodeBigints, encodeTexts } from '../../packages/gateway/core/storage/postgres/binary-arrays.ts';
import { startPostgres } from '../support/postgres.ts';

test('PostgreSQL reads arrays in its binary format as they were written', async () => {
  await using postgres = await startPostgres();
  const url = await postgres.createUrl();
  const read = async (type: 'text' | 'bigint', array: Buffer) => {
    const [row] = await postgres.query(url, `select to_json($1::${type}[])::text as json`, [array]);
    return JSON.parse(String(row?.json));
  };
  const texts = [
    '',
    null,
    'plain',
    '{"quotes": "and \\\\ backslashes"}',
    'ümläut, 漢字, 🚢',
    'NULL',
    'x'.repeat(100_000),
  ];
  expect(await read('text', encodeTexts(texts))).toEqual(texts);
  const numbers = [0, -1, null, 2 ** 32 - 1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  expect(await read('bigint', encodeBigints(numbers))).toEqual(numbers);
  expect(await read('text', encodeTexts([]))).toEqual([]);
});
