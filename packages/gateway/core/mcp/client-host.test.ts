import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import type { CallQuestionContext } from '../../../toolwharf/invocation/call.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { askClientUser, toClientHost } from './client-host.ts';
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
    { params: { message: '[s] Who?' }, key: 'user' },
    { params: { message: '[s] Who?', _meta: { 'example/kept': true } }, key: 'named' },
  ]);
  expect(questions[0]?.params._meta).toEqual({ 'toolwharf/server': 's' });
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

test('only a client with the elicitation capability is asked for approval', () => {
  expect(requestOf().host.askClient).toBeUndefined();
  expect(requestOf({ capabilities: { elicitation: {} } }).host.askClient).toBeDefined();
});

const approval = {
  id: 'a',
  callId: 'c',
  originalName: 'delete',
  reason: 'the approval mode is always-ask',
} as unknown as ApprovalRequest;

async function askAbout(args: JsonObject, reply: JsonObject, reason = approval.reason) {
  let form: JsonObject = {};
  const client = {
    async ask(_method: string, params: JsonObject) {
      form = params;
      return reply;
    },
  };
  const answer = await askClientUser(client, { ...approval, reason, arguments: args }, context.signal);
  const { answer: field } = (form.requestedSchema as { properties: { answer: JsonObject } }).properties;
  return { answer, message: String(form.message), choices: field.enum, preset: field.default };
}

const allow = { action: 'accept', content: { answer: 'once' } };

test('the question to a client shows every argument, however long others are [O7]', async () => {
  const args = { a: 'x'.repeat(20_000), deep: { b: ['y'.repeat(20_000), { path: 'DANGER' }] } };
  const { answer, message, choices } = await askAbout(args, allow);
  expect(message).toContain('"path":"DANGER"');
  expect(message).toContain('characters left out');
  expect(message.length).toBeLessThan(10_000);
  expect(choices).toEqual(['once', 'deny']);
  expect(answer).toEqual({ kind: 'allow' });
});

test('a call with more arguments than the question can show cannot be allowed by the client [O7]', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name${at}`, at]));
  const { answer, message, choices } = await askAbout(many, allow);
  expect(message).toContain('too many parts');
  expect(choices).toEqual(['deny']);
  expect(answer).toMatchObject({ kind: 'deny' });
});

test('members of the request beside its arguments are shown to their end, or the client cannot allow the call [O7]', async () => {
  const withExtra = (padding: string) =>
    askAbout(
      { a: 1 },
      allow,
      `it asks; the request has more members: ${JSON.stringify({ a: padding, path: 'DANGER' })}`,
    );
  const short = await withExtra('x'.repeat(1_400));
  expect(short.message).toContain('"path":"DANGER"');
  const escaped = await withExtra('\u202e'.repeat(1_000));
  expect(escaped.message).toContain('"path":"DANGER"');
  expect([short.answer, escaped.answer]).toEqual([{ kind: 'allow' }, { kind: 'allow' }]);
  const long = await withExtra('x'.repeat(8_000));
  expect(long.choices).toEqual(['deny']);
  expect(long.answer).toMatchObject({ kind: 'deny' });
});

test.each([
  { action: 'accept' },
  { action: 'accept', content: {} },
  { action: 'accept', content: { answer: 'deny' } },
  { action: 'decline', content: { answer: 'once' } },
])('the reply %j does not allow a call, and the preset answer denies [O7]', async (reply) => {
  const { answer, preset } = await askAbout({ a: 1 }, reply);
  expect(answer).toMatchObject({ kind: 'deny' });
  expect(preset).toBe('deny');
});
