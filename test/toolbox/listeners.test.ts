import { expect, test } from 'vitest';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  CallHost,
  Log,
  LogEntry,
  Progress,
} from '../../packages/toolwharf/index.ts';
import { createLog, localTool } from '../../packages/toolwharf/index.ts';
import { leaseLost } from '../../packages/toolwharf/invocation/journal.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

function fail(): never {
  throw new Error('the listener failed');
}
const reject = async () => fail();
const asking = { servers: {}, toolbox: { approval: { mode: 'always-ask' } } } as const;
const work = localTool({ name: 'work', execute: () => 'done' });

test.each([fail, reject])('a listener that fails does not disturb its call: %o', async (listener) => {
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry));
  const report = localTool({
    name: 'report',
    execute(_args, { onProgress }) {
      onProgress?.({ progress: 1 });
      return 'done';
    },
  });
  const host = { onProgress: listener, onLog: listener } as CallHost;
  const approver = { ask: async () => ({ kind: 'allow' }) as const };
  await using toolbox = await openToolbox(asking, { tools: [report], log, host, approver });
  for (const name of ['call.changed', 'approval.asked', 'approval.answered'] as const) toolbox.on(name, listener);
  const call = toolbox.start('report', {});
  const seen: string[] = [];
  call.subscribe(listener);
  call.subscribe(({ type }) => seen.push(type));
  expect(await call.result).toMatchObject({ text: 'done' });
  expect(seen.at(-1)).toBe('ended');
  expect(toolbox.calls.find(call.id)).toBeUndefined();
  expect(entries.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['call.listener-failed', 'event.listener-failed']),
  );
});

test.each([fail, reject])('a log that fails disturbs nothing: %o', async (listener) => {
  const log = { debug: listener, info: listener, warning: listener, error: listener } as Log;
  await using toolbox = await openToolbox({ servers: {} }, { tools: [work], log });
  const call = toolbox.start('work', {});
  call.subscribe(fail);
  expect(await call.result).toMatchObject({ text: 'done' });
});

test('progress and log messages of a server reach other listeners if the host fails', async () => {
  await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
  const host = { onProgress: fail, onLog: fail };
  const call = toolbox.start('mcp_s_log', { level: 'error', text: 'x' }, { host });
  const seen: string[] = [];
  call.subscribe(({ type }) => seen.push(type));
  expect(await call.result).toMatchObject({ isError: false });
  expect(seen).toEqual(expect.arrayContaining(['log', 'ended']));
  const progressing: string[] = [];
  const slow = toolbox.start('mcp_s_sleep', { ms: 60 }, { host });
  slow.subscribe(({ type }) => progressing.push(type));
  expect(await slow.result).toMatchObject({ isError: false });
  expect(progressing).toContain('progress');
  expect(await toolbox.call('mcp_s_echo', { text: 'still connected' })).toMatchObject({ text: 'still connected' });
});

class PrivateHost {
  readonly #answer: ApprovalAnswer = { kind: 'allow' };
  readonly progress: Progress[] = [];

  get mayRepeat() {
    return this.#answer.kind !== 'allow';
  }

  async approve(): Promise<ApprovalAnswer> {
    return this.#answer;
  }

  async elicit() {
    return { action: 'accept', content: { answer: this.#answer.kind } } as const;
  }

  onProgress(progress: Progress): void {
    if (this.#answer) this.progress.push(progress);
  }
}

test.each<[string, () => CallHost]>([
  ['a class with private fields', () => new PrivateHost()],
  ['a frozen object', () => Object.freeze(new PrivateHost())],
  ['a function with members', () => Object.assign(() => {}, { approve: async () => ({ kind: 'allow' }) as const })],
  ['a proxy', () => bound(new PrivateHost())],
])('%s can be the host of a call, of its steps and of a toolbox', async (_what, createHost) => {
  const chain = localTool({ name: 'chain', composed: true, execute: (_args, { call }) => call('work', {}) });
  await using toolbox = await openToolbox(asking, { tools: [work, chain], host: createHost() });
  for (const name of ['work', 'chain']) {
    expect(await toolbox.call(name, {}, { host: createHost() })).toMatchObject({ isError: false });
    expect(await toolbox.call(name, {}, { host: createHost(), onProgress: () => {} })).toMatchObject({
      isError: false,
    });
    expect(await toolbox.call(name, {})).toMatchObject({ isError: false });
  }
});

test('a class with private fields answers the questions of a server, also where the roots are fixed', async () => {
  const roots = ['/'];
  const servers = { s: fixture('legacy'), rooted: { ...fixture('legacy'), roots } };
  await using toolbox = await openToolbox({ servers }, { host: new PrivateHost() });
  for (const server of ['s', 'rooted']) {
    expect((await toolbox.call(`mcp_${server}_ask`, { question: '?' })).text).toContain('allow');
    const options = { host: new PrivateHost(), onProgress: () => {} };
    expect((await toolbox.call(`mcp_${server}_ask`, { question: '?' }, options)).text).toContain('allow');
  }
});

test.each<[string, (request: ApprovalRequest) => unknown, string, RegExp]>([
  ['throws', fail, 'APPROVAL_FAILED', /the listener failed/],
  ['rejects', reject, 'APPROVAL_FAILED', /the listener failed/],
  ['answers nothing', () => undefined, 'CALL_DENIED', /neither/],
  [
    'answers with a getter that throws',
    () => ({
      get kind() {
        return fail();
      },
    }),
    'APPROVAL_FAILED',
    /the listener failed/,
  ],
  ['has lost its lease', () => Promise.reject(leaseLost()), 'JOURNAL_UNAVAILABLE', /Try again/],
  ['denies', () => ({ kind: 'deny', reason: 'not today' }), 'CALL_DENIED', /not today/],
  ['denies later', async () => ({ kind: 'deny', reason: 'not today' }), 'CALL_DENIED', /not today/],
])('an approver that %s ends the call with what happened', async (_what, ask, code, message) => {
  const entries: LogEntry[] = [];
  const log = createLog((entry) => entries.push(entry));
  await using toolbox = await openToolbox(asking, { tools: [work], approver: { ask } as never, log });
  const { failure } = await toolbox.call('work', {});
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
  const logged = entries.filter(({ event }) => event === 'approval.failed');
  expect(logged.map((entry) => entry.message)).toEqual(
    code === 'APPROVAL_FAILED' ? [expect.stringMatching(message)] : [],
  );
});

/** A proxy whose methods run on its target. */
function bound<Value extends object>(target: Value): Value {
  return new Proxy(target, {
    get(_target, name) {
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
