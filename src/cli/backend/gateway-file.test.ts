import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findGateway, removeGatewayFile, writeGatewayFile } from './gateway-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-gateway-'));
});
afterEach(() => rm(directory, { recursive: true }));

const place = { url: 'http://127.0.0.1:7420', pid: process.pid };

test('a running gateway is found by its record, which only the owner can read', async () => {
  const data = join(directory, 'new', 'data');
  await writeGatewayFile(data, place);
  expect(await findGateway(data)).toEqual(place);
  expect((await stat(join(data, 'gateway.json'))).mode & 0o777).toBe(0o600);
  await removeGatewayFile(data, process.pid);
  expect(await findGateway(data)).toBeUndefined();
});

test('the record of a dead process is ignored, and the record of another process is not removed', async () => {
  await writeGatewayFile(directory, { ...place, pid: 2 ** 30 });
  expect(await findGateway(directory)).toBeUndefined();
  await writeGatewayFile(directory, place);
  await removeGatewayFile(directory, process.pid + 1);
  expect(await findGateway(directory)).toEqual(place);
});

test.each(['', '{', '[]', '{"url":1,"pid":1}', '{"url":"x"}'])(
  'a record with the content %j is ignored',
  async (text) => {
    await writeFile(join(directory, 'gateway.json'), text);
    expect(await findGateway(directory)).toBeUndefined();
  },
);
