import { expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';

const members = (count: number, name = 'k') => Array.from({ length: count }, (_, at) => `"${name}${at}":1`).join();
const config = (limits: object = {}) => ({ servers: { s: fixture('legacy') }, gateway: { limits } }) as never;

/** Sends a text as the body of a request, and returns its status and the beginning of the response. */
async function send(
  api: TestApi,
  method: string,
  path: string,
  body: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(new URL(path, api.url), {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${api.adminToken}`,
      'a2a-version': '1.0',
    },
    body,
  });
  return { status: response.status, text: (await response.text()).slice(0, 500) };
}

const targets = ['/api/keys', '/api/servers', '/api/approvals/answers', '/api/providers', '/mcp', '/a2a'];

test('130 000 unknown members are no internal error, also if the limit on members is raised', async () => {
  await using api = await startApi(config({ maxBodyMembers: 1_000_000 }));
  const body = `{${members(130_000)}}`;
  for (const path of targets) {
    const { status, text } = await send(api, 'POST', path, body);
    expect({ path, status, text }).toMatchObject({ path, text: expect.stringContaining('"error"') });
    expect(status).toBeLessThan(500);
  }
  // Each element of the list has problems.
  const answers = Array.from({ length: 130_000 }, () => '{}').join();
  const several = await send(api, 'POST', '/api/approvals/answers', `{"answers":[${answers}]}`);
  expect(several).toMatchObject({ status: 400, text: expect.stringContaining('REQUEST_INVALID') });
});

const shapes: Record<string, string> = {
  'a wide object': `{${members(10_001)}}`,
  'wide objects in a list': `{"list":[{${members(5_001)}},{${members(5_001)}}]}`,
  'one member again and again': `{${Array.from({ length: 10_001 }, () => '"a":1').join()}}`,
  'a long list': `{"list":[${Array.from({ length: 100_001 }, () => '0').join()}]}`,
  'many long numbers': `{"list":[${Array.from({ length: 25_001 }, () => '12345678901234567890').join()}]}`,
  'many empty lists': `{"list":[${Array.from({ length: 60_000 }, () => '[]').join()}]}`,
};

test.each(Object.entries(shapes))('%s is rejected with 413 before it is parsed', async (_name, body) => {
  await using api = await startApi(config());
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 's__echo', arguments: 'HERE' } };
  const within = (message: object) => JSON.stringify(message).replace('"HERE"', body);
  const bodies = {
    '/mcp': within(call),
    '/a2a': within({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: 'HERE' }),
    '/api/tools/mcp_s_echo/call': within({ arguments: 'HERE' }),
  };
  for (const [path, text] of Object.entries(bodies)) {
    const answer = await send(api, 'POST', path, text);
    expect({ path, ...answer }).toMatchObject({ path, status: 413, text: expect.stringContaining('maxBodyMembers') });
  }
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams };
  const opened = JSON.stringify(initialize).replace('"capabilities":{}', `"capabilities":${body}`);
  expect((await send(api, 'POST', '/mcp', opened)).status).toBe(413);
});

test('large numbers, long names and long texts get 2xx or 4xx with a short message', async () => {
  await using api = await startApi(config());
  const long = 'x'.repeat(1_000_000);
  const bodies = [
    `{"${long}":1}`,
    `{"name":"${long}"}`,
    `{"name":${'9'.repeat(100_000)}}`,
    `{"name":1e999999}`,
    `{"name":{"${long}":1}}`,
    `{"rights":[${members(9_000).replaceAll(/"k\d+":1/g, '"admin"')}]}`,
  ];
  for (const body of bodies) {
    const { status, text } = await send(api, 'POST', '/api/keys', body);
    expect(status).toBe(400);
    expect(text.length).toBeLessThanOrEqual(500);
  }
});

test('a body within the limits is accepted', async () => {
  await using api = await startApi(config());
  const body = `{"arguments":{"text":"x","more":{${members(9_000)}},"list":[${members(50_000).replaceAll(/"k\d+":/g, '')}]}}`;
  expect(await send(api, 'POST', '/api/tools/mcp_s_echo/call', body)).toMatchObject({ status: 200 });
});
