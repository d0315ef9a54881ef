import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createResponder, type Responder } from './responder.ts';

/** Answers one real HTTP request with this function and returns the response that the client received. */
async function exchange(
  answer: (responder: Responder, response: ServerResponse) => unknown,
  accept = 'application/json, text/event-stream',
): Promise<{ type: string | undefined; status: number | undefined; text: string }> {
  const done = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    Promise.resolve(answer(createResponder(request, response), response)).then(() => done.resolve(), done.reject);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const sent = get({ port: (server.address() as AddressInfo).port, headers: { accept } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    await done.promise;
    return { type: response.headers['content-type'], status: response.statusCode, text };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('a response without other messages is plain JSON with its status', async () => {
  const got = await exchange((responder) => responder.finish({ id: 1 }, 404));
  expect(got).toEqual({ type: 'application/json', status: 404, text: '{"id":1}' });
});

test('a response after another message is an event stream', async () => {
  const got = await exchange((responder) => {
    responder.send({ a: 1 });
    responder.finish({ id: 1 }, 404);
  });
  expect(got).toMatchObject({ type: 'text/event-stream', status: 200 });
  expect(got.text.match(/^data: .*$/gm)).toEqual(['data: {"a":1}', 'data: {"id":1}']);
});

test('a client that accepts no stream gets only the response', async () => {
  const got = await exchange((responder) => {
    responder.send({ a: 1 });
    responder.finish({ id: 1 });
  }, 'application/json');
  expect(got).toMatchObject({ type: 'application/json', text: '{"id":1}' });
});

test('messages after the response are dropped without an error', async () => {
  const got = await exchange(async (responder, response) => {
    responder.send({ a: 1 });
    responder.finish({ id: 1 });
    responder.send({ late: 1 });
    responder.finish({ id: 1 });
    await once(response, 'close');
    responder.send({ later: 1 });
  });
  expect(got.text).not.toMatch(/late/);
});
