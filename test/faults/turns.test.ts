import { expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

/** A client that never answers the questions it gets. */
async function connectSilent(url: string) {
  const asked = Promise.withResolvers<void>();
  const client = await connectMcp(url, 'legacy', {
    caller: 'silent',
    answers: {
      'elicitation/create': (() => {
        asked.resolve();
        return new Promise(() => {});
      }) as never,
    },
  });
  return Object.assign(client, { asked: asked.promise });
}

test('a server that is killed during the turn of a client releases the turn: its call fails and others are asked [A8, N10]', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using silent = await connectSilent(gateway.url);
  await using other = await connectMcp(gateway.url, 'legacy', { caller: 'other', answers: usualAnswers });
  const lost = silent.text('ask', { question: 'nobody answers' });
  await silent.asked;
  const status = () => gateway.toolbox.servers.status('subject');
  const { pid } = status() ?? {};
  process.kill(Number(pid), 'SIGKILL');
  expect(await lost).toContain('MCP error');
  await waitFor(() => status()?.state === 'connected' && status()?.pid !== pid, { what: 'the new process' });
  expect(await other.text('ask', { question: 'who?' })).toContain('re: who?');
});

test('a client that cancels with an open question releases the turn, and its question reaches no other client [N10]', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  const silent = await connectSilent(gateway.url);
  const abort = new AbortController();
  const call = silent.client.callTool({ name: 'ask', arguments: { question: 'gone' } }, { signal: abort.signal });
  const ended = call.catch((cause: unknown) => cause);
  await silent.asked;
  abort.abort();
  await ended;
  const isOver = async () => (await gateway.toolbox.calls.list({ status: 'running' })).length === 0;
  await waitFor(isOver, { what: 'the end of the call' });
  await silent[Symbol.asyncDispose]();
  const questions: unknown[] = [];
  await using other = await connectMcp(gateway.url, 'legacy', {
    caller: 'other',
    answers: {
      'elicitation/create': ({ message }) => {
        questions.push(message);
        return { action: 'accept', content: { answer: String(message) } };
      },
    },
  });
  expect(await other.text('ask', { question: 'here?' })).toContain('here?');
  expect(questions).toEqual(['here?']);
});
