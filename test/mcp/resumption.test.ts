import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

const accept = 'application/json, text/event-stream';

/** A legacy session of a client that uses plain HTTP. */
async function openSession({ url }: ServedMcp, protocolVersion: string, caller = 'somebody') {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept, 'x-caller': caller };
  const post = (message: object, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), signal });
  const opened = await post({ id: 0, method: 'initialize', params: { ...initializeParams, protocolVersion } });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  await opened.text();
  return {
    call: (name: string, args: object, meta: object, signal: AbortSignal) =>
      post({ id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } }, signal),
    listen: (lastEventId?: string, signal?: AbortSignal) =>
      fetch(url, { headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) }, signal }),
  };
}

/** Collects the events of a response until it ends or is aborted. */
function collect(response: Response) {
  const received = { ids: [] as string[], messages: [] as JsonObject[], ended: Promise.resolve() };
  const read = async () => {
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, id] = /^id: (.*)$/m.exec(text.slice(0, end)) ?? [];
        const [, data] = /^data: (.+)$/m.exec(text.slice(0, end)) ?? [];
        if (id !== undefined) received.ids.push(id);
        if (data !== undefined) received.messages.push(JSON.parse(data));
        text = text.slice(end + 2);
      }
    }
  };
  received.ended = read().catch(() => {});
  return received;
}

test.each(['2025-11-25', '2025-06-18'])(
  'a client of %s that lost its connection during a call gets the rest of the progress and the result',
  async (version) => {
    await using gateway = await serveMcp({ subject: fixture('gated') });
    await using directory = await tempDir();
    const client = await openSession(gateway, version);
    const leaving = new AbortController();
    const path = directory.file('pass');
    const before = collect(await client.call('pass', { path }, { progressToken: 7 }, leaving.signal));
    await waitFor(() => before.messages.length > 2);
    leaving.abort();
    await before.ended;
    const response = await client.listen(before.ids.at(-1));
    expect(response.status).toBe(200);
    const after = collect(response);
    writeFileSync(path, '');
    await after.ended;
    expect(after.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
    const steps = [...before.messages, ...after.messages.slice(0, -1)].map(
      ({ params }) => (params as JsonObject).progress,
    );
    expect(new Set(steps).size).toBe(steps.length);
    expect(steps).toEqual(steps.toSorted((one, other) => Number(one) - Number(other)));
  },
);

test('a call that takes long without progress can be resumed too', async () => {
  await using gateway = await serveMcp({ subject: fixture('gated') });
  await using directory = await tempDir();
  const client = await openSession(gateway, '2025-11-25');
  const leaving = new AbortController();
  const path = directory.file('pass');
  const before = collect(await client.call('pass', { path }, {}, leaving.signal));
  await waitFor(() => before.ids.length > 0);
  leaving.abort();
  await before.ended;
  writeFileSync(path, '');
  const after = collect(await client.listen(before.ids[0]));
  await after.ended;
  expect(after.messages).toMatchObject([{ id: 1, result: {} }]);
});

test('a client that resumes its standing stream gets the notifications it missed', async () => {
  await using gateway = await serveMcp({ subject: fixture('modern') });
  const client = await openSession(gateway, '2025-11-25');
  const leaving = new AbortController();
  const before = collect(await client.listen(undefined, leaving.signal));
  await waitFor(() => before.ids.length > 0);
  leaving.abort();
  await before.ended;
  const changing = new AbortController();
  await (await client.call('change', {}, {}, changing.signal)).text();
  await waitFor(() => gateway.toolbox.tools.some(({ name }) => name.includes('added_')));
  const returning = new AbortController();
  const after = collect(await client.listen(before.ids[0], returning.signal));
  await waitFor(() => after.messages.some(({ method }) => method === 'notifications/tools/list_changed'));
  returning.abort();
});

test('the stream of a request can be resumed in its own session only', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  const victim = await openSession(gateway, '2025-11-25', 'ada');
  const leaving = new AbortController();
  const before = collect(await victim.call('sleep', { ms: 30_000 }, { progressToken: 1 }, leaving.signal));
  await waitFor(() => before.ids.length > 1);
  leaving.abort();
  await before.ended;
  for (const caller of ['ada', 'eve']) {
    const other = await openSession(gateway, '2025-11-25', caller);
    const response = await other.listen(before.ids[0]);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('is gone');
  }
});
