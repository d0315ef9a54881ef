import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { createToolbox } from '../../packages/toolwharf/toolbox.ts';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectClient } from '../support/open-gateway.ts';
import { initializeParams } from '../support/raw-mcp.ts';

/** Objects within objects. */
function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

const deepText = (levels: number) => `${'{"v":'.repeat(levels)}1${'}'.repeat(levels)}`;

test('very deep JSON gets 400 at every endpoint, with an idempotency key and in initialize', async () => {
  await using api = await startApi({ servers: { s: fixture('legacy') } });
  const post = (path: string, body: string) =>
    fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    });
  const deep = deepText(50_000);
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams });
  const bodies: [path: string, body: string][] = [
    ['/api/tools/mcp_s_echo/call', `{"idempotencyKey":"k","arguments":${deep}}`],
    ['/mcp', initialize.replace('"capabilities":{}', `"capabilities":${deep}`)],
    ['/a2a', `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${deep}}`],
  ];
  for (const [path, body] of bodies) expect(`${path} ${(await post(path, body)).status}`).toBe(`${path} 400`);
});

test.each(['legacy', 'auto'] as const)(
  'a deep `_meta` of a %s client does not make the outcome of its call unknown',
  async (era) => {
    await using api = await startApi({ servers: { s: fixture('legacy') } });
    await using client = await connectClient(`${api.url}/mcp`, { era });
    const result = await client.client.callTool({
      name: 's__echo',
      arguments: { text: 'x' },
      _meta: { deep: nested(150) },
    });
    expect(result.isError).toBeFalsy();
  },
);

test('a call with deep arguments is refused and recorded; a deep `_meta` is refused before it is sent', async () => {
  await using directory = await tempDir();
  const sealer = createSealer(randomBytes(32));
  await using storage = await openStorage({ kind: 'sqlite', file: directory.file('toolwharf.db'), sealer });
  await using toolbox = await createToolbox({ servers: { s: fixture('legacy') } }, { journal: storage.journal });
  const echo = (args: JsonObject, options = {}) => toolbox.call('mcp_s_echo', { text: 'x', ...args }, options);
  const results = [
    await echo({ deep: nested(150) }),
    await echo({ deep: nested(20_000) }),
    await echo({ deep: nested(20_000) }, { idempotencyKey: 'k' }),
    await echo({}, { meta: { deep: nested(20_000) } }),
  ];
  expect(results.map(({ failure }) => failure?.code)).toEqual(results.map(() => 'ARGUMENTS_INVALID'));
  const records = await storage.journal.list();
  expect(records.map(({ id }) => id).sort()).toEqual(results.map(({ callId }) => callId).sort());
  expect(new Set(records.map(({ end }) => end))).toEqual(new Set(['invalid']));
});
