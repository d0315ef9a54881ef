import { expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/json.ts';
import { createAskedCalls } from './asked-calls.ts';
import type { ClientRequest } from './client-request.ts';

const never = new AbortController().signal;

interface Asked {
  readonly params: JsonObject;
  readonly key: string | undefined;
}

function requestOf(caller: string, answer: () => Promise<JsonObject> = async () => ({ from: caller })) {
  const asked: Asked[] = [];
  const request = {
    caller: { id: caller, kind: 'client' },
    profile: { name: 'default' },
    async ask(_method: string, params: JsonObject, _signal: AbortSignal, key?: string) {
      asked.push({ params, key });
      return answer();
    },
  } as unknown as ClientRequest;
  return { request, asked };
}

test('a question finds the client of the call it belongs to', async () => {
  const calls = createAskedCalls();
  const one = requestOf('one');
  const two = requestOf('two');
  const answer = await calls.during({ callId: '1', request: one.request }, () =>
    calls.during({ callId: '2', request: two.request }, async () =>
      calls.questions.sample?.({}, { server: 's', callId: '1', signal: never }),
    ),
  );
  expect(answer).toEqual({ from: 'one' });
  expect(two.asked).toEqual([]);
});

test('where it may be one of several calls, the client they all belong to is asked, and nobody where they are of two', async () => {
  const calls = createAskedCalls();
  const ask = async (...callIds: string[]) => calls.questions.sample?.({}, { server: 's', callIds, signal: never });
  const one = requestOf('one').request;
  const two = requestOf('two').request;
  await calls.during({ callId: '1', request: one }, () =>
    calls.during({ callId: '2', request: one }, () =>
      calls.during({ callId: '3', request: two }, async () => {
        expect(await ask('1', '2')).toEqual({ from: 'one' });
        await expect(ask('1', '2', '3')).rejects.toThrow(/not known in which call/);
        // A call that came another way than these clients' may be anybody's.
        await expect(ask('1', 'elsewhere')).rejects.toThrow(/not known in which call/);
        await expect(ask()).rejects.toThrow(/not known in which call/);
      }),
    ),
  );
  await expect(ask('1')).rejects.toThrow(/not known in which call/);
});

test('of several calls of one client, one that is not waiting for an answer already is meant', async () => {
  const calls = createAskedCalls();
  const answered = Promise.withResolvers<JsonObject>();
  const older = requestOf('one');
  const newer = requestOf('one', () => answered.promise);
  await calls.during({ callId: '1', request: older.request }, () =>
    calls.during({ callId: '2', request: newer.request }, async () => {
      const ask = async () => calls.questions.sample?.({}, { server: 's', callIds: ['1', '2'], signal: never });
      const first = ask();
      await ask();
      expect(newer.asked).toHaveLength(1);
      expect(older.asked).toHaveLength(1);
      answered.resolve({});
      await first;
      await ask();
      expect(newer.asked).toHaveLength(2);
    }),
  );
});

test("a question keeps its server's name for it and loses what was for us alone", async () => {
  const calls = createAskedCalls();
  const { request, asked } = requestOf('one');
  const ask = (params: JsonObject, key?: string) =>
    calls.during({ callId: '1', request }, async () =>
      calls.questions.elicit?.(params, { server: 's', callId: '1', signal: never, ...(key !== undefined && { key }) }),
    );
  await ask({ message: 'Who?', _meta: { 'toolwharf/key': 'user', progressToken: 7 } });
  await ask({ message: 'Who?', _meta: { 'example/kept': true, progressToken: 7 } }, 'named');
  expect(asked).toEqual([
    { params: { message: 'Who?' }, key: 'user' },
    { params: { message: 'Who?', _meta: { 'example/kept': true } }, key: 'named' },
  ]);
});
