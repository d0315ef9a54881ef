import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, startHttp } from '../support/fixtures.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

/** `npm run test:attacks` runs a thousand. */
const rounds = process.env.ATTACKS === 'full' ? 1_000 : 12;

/** A client that answers with its own name and counts the questions of other clients. */
async function connectAs(url: string, era: 'legacy' | 'modern', name: string, caller: string) {
  const foreign: unknown[] = [];
  const check = (text: unknown) => {
    if (!String(text).startsWith(name)) foreign.push(text);
  };
  const client = await connectMcp(url, era, {
    caller,
    answers: {
      'elicitation/create': ({ message }) => {
        check(message);
        return { action: 'accept', content: { answer: `${name} accepts ${String(message)}` } };
      },
      'sampling/createMessage': ({ messages }) => {
        const [{ content }] = messages as [{ content: JsonObject }];
        check(content.text);
        return { role: 'assistant', model: name, content: { type: 'text', text: `${name} sampled` } };
      },
      'roots/list': () => ({ roots: [{ uri: `file:///${name}` }] }),
    },
  });
  return Object.assign(client, { foreign });
}

async function askAll(client: McpClient, name: string, round: number): Promise<void> {
  const question = `${name} ${round}`;
  const asked = async () => {
    const text = await client.text('ask', { question });
    expect(text).toContain(`${name} accepts ${question}`);
  };
  const sampled = async () => expect(await client.text('sample', { prompt: question })).toContain(`${name} sampled`);
  const listed = async () => expect(await client.text('roots')).toContain(`file:///${name}`);
  await [asked, sampled, listed][round % 3]?.();
}

/** A call that asks nothing, beside those that do. */
async function add(client: McpClient, round: number): Promise<void> {
  expect(await client.text('add', { a: round, b: 1 })).toBe(String(round + 1));
}

const callers = [
  ['the same key', 'somebody', 'somebody'],
  ['different keys', 'ada', 'bob'],
] as const;
const eras = [
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
] as const;

describe.each(callers)('clients with %s and simultaneous questions', (_what, callerOfOne, callerOfTwo) => {
  test.each(eras)(
    '%s and %s: each receives its own questions on one stdio server [N10]',
    async (eraOfOne, eraOfTwo) => {
      await using gateway = await serveMcp({ subject: fixture('legacy') });
      await using one = await connectAs(gateway.url, eraOfOne, 'one', callerOfOne);
      await using two = await connectAs(gateway.url, eraOfTwo, 'two', callerOfTwo);
      for (let round = 0; round < rounds; round++)
        await Promise.all([
          askAll(one, 'one', round),
          askAll(two, 'two', round + 1),
          add(round % 2 ? one : two, round),
        ]);
      expect([...one.foreign, ...two.foreign]).toEqual([]);
    },
  );

  test.each(eras)('%s and %s: each receives its own questions over HTTP [N10]', async (eraOfOne, eraOfTwo) => {
    await using upstream = await startHttp('legacy-http');
    await using gateway = await serveMcp({ subject: { url: upstream.url } });
    await using one = await connectAs(gateway.url, eraOfOne, 'one', callerOfOne);
    await using two = await connectAs(gateway.url, eraOfTwo, 'two', callerOfTwo);
    for (let round = 0; round < Math.max(3, rounds / 10); round++)
      await Promise.all([askAll(one, 'one', round), askAll(two, 'two', round + 1)]);
    expect([...one.foreign, ...two.foreign]).toEqual([]);
  });
});

test('many clients with simultaneous questions on one stdio server all receive their questions, one after the other [N10]', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using clients = new AsyncDisposableStack();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const opened = await Promise.all(
    names.map(async (name, index) =>
      clients.use(await connectAs(gateway.url, index % 2 === 0 ? 'legacy' : 'modern', name, 'somebody')),
    ),
  );
  await Promise.all(opened.map((client, index) => askAll(client, names[index] as string, 0)));
  expect(opened.flatMap(({ foreign }) => foreign)).toEqual([]);
});

/** Declines a question when the gate is opened. */
function declineLater() {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const decline = async () => {
    asked.resolve();
    await gate.promise;
    return { action: 'decline' };
  };
  return { asked, gate, answers: { 'elicitation/create': decline as never } };
}

test('a call waits while the question of another client is open, and its timeout is paused', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  const { asked, gate, answers } = declineLater();
  await using slow = await connectMcp(gateway.url, 'legacy', { answers });
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  const first = slow.text('ask', { question: 'slow' });
  await asked.promise;
  const second = quick.text('ask', { question: 'quick one' });
  gate.resolve();
  expect(await first).toContain('decline');
  expect(await second).toContain('quick accepts quick one');
});

/** A client that answers its first elicitation when the gate is opened, and all others at once. */
async function connectSlow(url: string) {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const messages: unknown[] = [];
  const client = await connectMcp(url, 'legacy', {
    answers: {
      'elicitation/create': (async ({ message }: JsonObject) => {
        messages.push(message);
        asked.resolve();
        await gate.promise;
        return { action: 'accept', content: { answer: `re: ${message}` } };
      }) as never,
    },
  });
  return Object.assign(client, { gate, asked: asked.promise, messages });
}

/** A call, and the texts of the progress that is reported for it. */
function callNoticed({ client }: McpClient, name: string, args: JsonObject) {
  const notices: (string | undefined)[] = [];
  const onprogress = ({ message }: { readonly message?: string }) => void notices.push(message);
  return { notices, result: client.callTool({ name, arguments: args }, { onprogress }) };
}

test('calls to other tools of a stdio server run while the question of another client is open, and its next question reaches it too', async () => {
  await using gateway = await serveMcp({ subject: fixture('steps') });
  await using slow = await connectSlow(gateway.url);
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  const first = slow.text('steps', { name: 'slow' });
  await slow.asked;
  // Neither has run before. Nothing but their results ends this wait: the question stays open.
  await Promise.all([add(quick, 1), quick.text('echo', { text: 'hello' })]);
  const begun = Promise.withResolvers<void>();
  const beside = quick.client.callTool(
    { name: 'sleep', arguments: { ms: 200 } },
    { onprogress: () => begun.resolve() },
  );
  await begun.promise;
  slow.gate.resolve();
  expect(await first).toBe('re: slow first, re: slow second');
  expect(slow.messages).toEqual(['slow first', 'slow second']);
  expect(quick.foreign).toEqual([]);
  await beside;
});

test('a tool that asks for the first time beside an open question asks its own client, after the other call has ended', async () => {
  await using gateway = await serveMcp({ subject: fixture('steps') });
  await using slow = await connectSlow(gateway.url);
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  const first = slow.text('ask', { question: 'slow' });
  await slow.asked;
  const { notices, result: second } = callNoticed(quick, 'sample', { prompt: 'quick one' });
  // The server has read the call before it when it answers this one.
  await add(quick, 1);
  slow.gate.resolve();
  expect(await first).toContain('re: slow');
  expect(JSON.stringify(await second)).toContain('quick sampled');
  expect(notices).toContainEqual(expect.stringContaining('may belong to another call'));
  expect(slow.messages).toEqual(['slow']);
});

test('a second question of a call whose first one is open reaches nobody while another call could have asked it', async () => {
  await using gateway = await serveMcp({ subject: fixture('steps') });
  await using slow = await connectSlow(gateway.url);
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  const { notices, result: first } = callNoticed(slow, 'both', { name: 'slow' });
  await slow.asked;
  expect(await quick.text('nudge')).toBe('nudged');
  slow.gate.resolve();
  expect(JSON.stringify(await first)).toMatch(/re: slow first, refused: .*does not say for which one/);
  expect(notices).toEqual([expect.stringContaining('does not say for which one, so it was refused')]);
  expect([...slow.messages, ...quick.foreign]).toEqual(['slow first']);
});

test('a call that waits because questions could be mixed up says so to its client', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using slow = await connectSlow(gateway.url);
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  const first = slow.text('ask', { question: 'slow' });
  await slow.asked;
  const { notices, result: second } = callNoticed(quick, 'ask', { question: 'quick one' });
  await waitFor(() => notices.length > 0, { what: 'the notice' });
  slow.gate.resolve();
  await Promise.all([first, second]);
  expect(notices).toEqual([
    expect.stringContaining("Waiting for another call on server 'subject'"),
    'Sent to the server',
  ]);
});

test('calls of clients that cannot answer questions run concurrently', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using one = await connectMcp(gateway.url, 'legacy');
  await using two = await connectMcp(gateway.url, 'legacy');
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const busy = one.client.callTool(
    { name: 'sleep', arguments: { ms: 600_000 } },
    { onprogress: () => begun.resolve(), signal: cancel.signal },
  );
  await begun.promise;
  expect(await two.text('echo', { text: 'at once' })).toBe('at once');
  cancel.abort();
  await expect(busy).rejects.toThrow();
});

test('with isolation: session each client session has its own process, and open questions do not delay other sessions', async () => {
  await using gateway = await serveMcp({ subject: { ...fixture('legacy'), isolation: 'session' } });
  const { asked, gate, answers } = declineLater();
  await using slow = await connectMcp(gateway.url, 'legacy', { answers });
  await using quick = await connectAs(gateway.url, 'legacy', 'quick', 'somebody');
  expect(await slow.text('pid')).toBe(await slow.text('pid'));
  expect(await quick.text('pid')).not.toBe(await slow.text('pid'));
  const first = slow.text('ask', { question: 'slow' });
  await asked.promise;
  expect(await quick.text('ask', { question: 'quick one' })).toContain('quick accepts quick one');
  gate.resolve();
  expect(await first).toContain('decline');
});
