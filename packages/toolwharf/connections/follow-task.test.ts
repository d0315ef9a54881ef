import { expect, test } from 'vitest';
import { ProtocolError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { createdTaskId, type FollowTaskPorts, followTask } from './follow-task.ts';

const created = { resultType: 'task', taskId: 't', status: 'working', pollIntervalMs: 1 };

/** A server that reports these states of a modern task in turn, and the requests that it received. */
function serverOf(states: readonly JsonObject[]) {
  const sent: [method: string, params: JsonObject][] = [];
  const left = [...states];
  const cancel = new AbortController();
  const ports: FollowTaskPorts = {
    async request(method, params) {
      sent.push([method, params]);
      if (method !== 'tasks/get') return {};
      return { taskId: 't', pollIntervalMs: 1, ...(left.length > 1 ? left.shift() : left[0]) };
    },
    answer: async (method, { message }, key) => ({ action: 'accept', content: { method, message, key } }),
    signal: cancel.signal,
    timeoutMs: 1_000,
  };
  return { ports, sent, cancel };
}

test('a result is not taken for a task', () => {
  expect(createdTaskId({ content: [], task: { taskId: 't' } })).toBeUndefined();
  expect(createdTaskId({ resultType: 'complete', taskId: 't' })).toBeUndefined();
  expect(createdTaskId(created)).toBe('t');
  expect(createdTaskId({ task: { taskId: 't' } })).toBe('t');
});

test('each question of a modern task is answered once, and the result is returned', async () => {
  const ask = { method: 'elicitation/create', params: { message: 'Sure?' } };
  const asking = { status: 'input_required', inputRequests: { sure: ask } };
  const { ports, sent } = serverOf([asking, asking, { status: 'completed', result: { content: [] } }]);
  const seen: unknown[] = [];
  const result = await followTask(created, { ...ports, onTask: ({ status }) => seen.push(status) });
  expect(result).toEqual({ content: [] });
  expect(seen).toEqual(['working', 'input_required', 'input_required', 'completed']);
  const updates = sent.filter(([method]) => method === 'tasks/update');
  const content = { method: 'elicitation/create', message: 'Sure?', key: 'sure' };
  const inputResponses = { sure: { action: 'accept', content } };
  expect(updates).toEqual([['tasks/update', { taskId: 't', inputResponses }]]);
});

test('a task that failed on the server keeps the code and the data of its error, and is not cancelled', async () => {
  const error = { code: -32050, message: 'broken', data: { why: 'always' } };
  const { ports, sent } = serverOf([{ status: 'failed', error }]);
  const failure = await followTask(created, ports).catch((cause) => cause);
  expect(failure).toBeInstanceOf(ProtocolError);
  expect(failure).toMatchObject({ message: 'broken', data: { rpcCode: -32050, rpcData: { why: 'always' } } });
  expect(sent.map(([method]) => method)).toEqual(['tasks/get']);
});

test('a cancelled call cancels the task of the server', async () => {
  const { ports, sent, cancel } = serverOf([{ status: 'working' }]);
  const request: FollowTaskPorts['request'] = async (method, params, signal) => {
    if (method === 'tasks/get') cancel.abort(new Error('enough'));
    signal?.throwIfAborted();
    return ports.request(method, params, signal);
  };
  await expect(followTask(created, { ...ports, request })).rejects.toThrow('enough');
  expect(sent).toEqual([['tasks/cancel', { taskId: 't' }]]);
});

test('a legacy task returns the result of tasks/result without the id of the task', async () => {
  const result = { content: [], _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' }, kept: true } };
  const { ports } = serverOf([]);
  const request = async (method: string) => (method === 'tasks/result' ? result : { status: 'working' });
  expect(await followTask({ task: { ...created } }, { ...ports, request })).toEqual({
    content: [],
    _meta: { kept: true },
  });
});
