import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkHistory, type SentCall } from './support/check-history.ts';
import type { GatewayProcess } from './support/gateway-process.ts';
import { scaled } from './support/scale.ts';
import { openWorld, type World } from './support/world.ts';

const json = { 'content-type': 'application/json' };

async function request(gateway: GatewayProcess, method: string, path: string, body?: object) {
  const response = await fetch(new URL(path, gateway.url), {
    method,
    headers: json,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

/** Lets an assistant with `expose: code` answer; the scripted model decides what it does. Returns the conversation's path. */
async function begin(gateway: GatewayProcess, assistant: string, model: ScriptedChat): Promise<string> {
  const provider = await request(gateway, 'POST', '/api/providers', {
    name: `Scripted ${randomUUID()}`,
    kind: 'openai-compatible',
    baseUrl: model.url,
    apiKey: 'sk-scripted',
  });
  await request(gateway, 'PUT', `/api/assistants/${assistant}`, {
    name: `Scribe ${assistant}`,
    model: { provider: provider.id, model: 'scripted' },
    serverIds: ['s'],
    expose: 'code',
    toolApproval: 'auto',
  });
  const { id } = await request(gateway, 'POST', '/api/conversations', { assistantId: assistant });
  await request(gateway, 'POST', `/api/conversations/${id}/messages`, { text: 'Go' });
  return `/api/conversations/${id}`;
}

const script = (client: string, markers: readonly string[], how: readonly string[]) => `
const learnt: string[] = [];
for (const [at, marker] of ${JSON.stringify(markers)}.entries())
  learnt.push(await tools.s.act({ marker, client: ${JSON.stringify(client)}, how: ${JSON.stringify(how)}[at] ?? 'answer' })
    .then(() => 'known', (error) => { if (!(error instanceof OutcomeUnknown)) throw error; return 'unknown'; }));
learnt.join()`;

/** Kills the gateway after `until`, starts it again, and returns the last message of the conversation when it is idle. */
async function killAndContinue(
  world: World,
  assistant: string,
  markers: readonly string[],
  how: readonly string[],
  until: () => Promise<unknown>,
) {
  await using model = await startScriptedChat([
    { calls: [{ name: 'run_code', args: { code: script(`assistant:${assistant}`, markers, how) } }] },
    ({ last }) => ({ text: `Received: ${last}` }),
  ]);
  const config = { servers: { s: world.program() } };
  let path = '';
  {
    await using gateway = await world.start(config);
    path = await begin(gateway, assistant, model);
    await world.breaking('kill', async () => {
      await until();
      await gateway.end('SIGKILL');
    });
  }
  await using again = await world.start(config);
  const message = await waitFor(
    async () => {
      const { conversation, messages } = await request(again, 'GET', path);
      return conversation.status === 'idle' ? messages.at(-1) : undefined;
    },
    { what: 'the end of the answer' },
  );
  await again.end('SIGTERM');
  return message;
}

async function findingsOf(world: World, sent: readonly Pick<SentCall, 'marker' | 'client'>[]) {
  const calls: SentCall[] = sent.map((call) => ({ ...call, sentAt: 0, answer: 'none' }));
  return checkHistory({ effects: await world.effects(), calls, records: await world.records(), faults: world.faults });
}

const textOf = (message: { parts: { type: string; text?: string }[] }) =>
  message.parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('');

test('the script of an assistant goes on after kill -9, and its answer is completed with the result', async () => {
  await using world = await openWorld();
  const markers = ['first', 'second', 'third'].map((name) => `${name}-${randomUUID()}`);
  const assistant = randomUUID();
  const message = await killAndContinue(world, assistant, markers, ['answer', 'hold'], () =>
    waitFor(async () => (await world.effects()).length === 2),
  );
  expect(message.status).toBe('complete');
  expect(textOf(message)).toBe('Received: known,unknown,known');
  expect((await world.effects()).map(({ marker }) => marker)).toEqual(markers);
  const client = `assistant:${assistant}`;
  expect(
    await findingsOf(
      world,
      markers.map((marker) => ({ marker, client })),
    ),
  ).toEqual([]);
});

test('scripts of assistants that are killed at random moments make no call twice', { timeout: 1_800_000 }, async () => {
  await using world = await openWorld();
  const sent: Pick<SentCall, 'marker' | 'client'>[] = [];
  for (let round = 0; round < scaled(2, 60); round++) {
    const markers = Array.from({ length: 5 }, () => randomUUID());
    const assistant = randomUUID();
    sent.push(...markers.map((marker) => ({ marker, client: `assistant:${assistant}` })));
    const message = await killAndContinue(world, assistant, markers, ['slow', 'answer', 'slow'], async () => {
      if (round % 2 === 0)
        await waitFor(async () => (await world.effects()).some(({ marker }) => marker === markers[round % 3]));
      await wait(Math.random() * 300);
    });
    // Killed before the script began, the answer is interrupted or starts it afterwards.
    expect(['complete', 'interrupted']).toContain(message.status);
    expect(world.countCalls('running') + world.countCalls('pending')).toBe(0);
  }
  const effects = (await world.effects()).map(({ marker }) => marker);
  expect(new Set(effects).size).toBe(effects.length);
  expect(await findingsOf(world, sent)).toEqual([]);
});
