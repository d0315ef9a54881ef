import { expect, test } from 'vitest';
import type { CallQuestionContext } from '../../invocation/call.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { toClientHost } from './client-host.ts';
import type { ClientRequest } from './client-request.ts';

const context = { server: 's', signal: new AbortController().signal } as CallQuestionContext;

function requestOf(changes: Partial<ClientRequest> = {}) {
  const questions: { readonly method: string; readonly params: JsonObject; readonly key: string | undefined }[] = [];
  const notified: unknown[] = [];
  const request = {
    era: 'legacy',
    params: {},
    capabilities: {},
    logLevel: undefined,
    notify: (method: string, params: JsonObject) => notified.push([method, params]),
    async ask(method: string, params: JsonObject, _signal: AbortSignal, key?: string) {
      questions.push({ method, params, key });
      return { roots: [], action: 'accept' };
    },
    ...changes,
  } as unknown as ClientRequest;
  return { host: toClientHost(request), questions, notified };
}

test('the client answers elicitation, sampling and roots requests', async () => {
  const { host, questions } = requestOf();
  await host.elicit?.({ message: 'Who?' }, context);
  await host.sample?.({ messages: [] }, context);
  await host.listRoots?.(context);
  expect(questions.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
});

test('a question retains the name that its server uses and loses the members meant for the gateway', async () => {
  const { host, questions } = requestOf();
  await host.elicit?.({ message: 'Who?', _meta: { 'toolwharf/key': 'user', progressToken: 7 } }, context);
  await host.elicit?.(
    { message: 'Who?', _meta: { 'example/kept': true, progressToken: 7 } },
    { ...context, key: 'named' },
  );
  expect(questions).toMatchObject([
    { params: { message: 'Who?' }, key: 'user' },
    { params: { message: 'Who?', _meta: { 'example/kept': true } }, key: 'named' },
  ]);
  expect(questions[0]?.params).not.toHaveProperty('_meta');
});

test('progress is requested only by a client that sent a progress token', () => {
  expect(requestOf().host.onProgress).toBeUndefined();
  const { host, notified } = requestOf({ params: { _meta: { progressToken: 'p' } } });
  host.onProgress?.({ progress: 1 });
  expect(notified).toEqual([['notifications/progress', { progressToken: 'p', progress: 1 }]]);
});

test.each([
  { client: 'a legacy client without a level', changes: {}, gets: ['debug', 'error'] },
  { client: 'a legacy client with a level', changes: { logLevel: 'error' }, gets: ['error'] },
  { client: 'a modern client without a level', changes: { era: 'modern' }, gets: [] },
  { client: 'a modern client with a level', changes: { era: 'modern', logLevel: 'info' }, gets: ['error'] },
] as const)('$client gets the log messages $gets', ({ changes, gets }) => {
  const { host, notified } = requestOf(changes as Partial<ClientRequest>);
  for (const level of ['debug', 'error']) host.onLog?.({ level });
  expect(notified).toEqual(gets.map((level) => ['notifications/message', { level }]));
});

test('only a client with the elicitation capability is questions for approval', () => {
  expect(requestOf().host.askClient).toBeUndefined();
  expect(requestOf({ capabilities: { elicitation: {} } }).host.askClient).toBeDefined();
});
