import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { patienceMs } from '../../../../test/support/wait-for.ts';
import { permissionsOf } from '../../../contract/rights.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { createEvents } from '../../../toolwharf/kernel/events.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import type { InternalToolbox, ToolboxEvents } from '../../../toolwharf/toolbox.ts';
import { everyPermission, type Identity } from '../auth/identity.ts';
import { createOwnership } from '../auth/ownership.ts';
import type { Scope } from '../auth/profile-scope.ts';
import type { AppHostEvents } from '../calls/app-hosts.ts';
import type { PendingQuestionsEvents } from '../calls/pending-questions.ts';
import type { ApproverEvents } from '../calls/stored-approver.ts';
import { showEvent, type Viewer } from './collect-events.ts';
import { createEventLog, type NumberedEvent } from './event-log.ts';

const profile = {
  name: 'p',
  naming: 'plain',
  expose: 'all',
  exposeBudget: 10_000,
  newTools: 'show',
  approval: { mode: 'auto', trustedTools: [], ask: [], deny: [], expiresMs: 1, approvers: 'admins', reads: 'allow' },
} as const;
const reads = { hasResource: () => true, hasPrompt: () => true, hasSkill: () => true };
const all: Scope = { profile, ...reads, hasServer: () => true, hasTool: () => true };
const onlyA: Scope = { profile, ...reads, hasServer: (name) => name === 'a', hasTool: ({ server }) => server === 'a' };
const admin: Identity = { caller: { id: 'admin', kind: 'person' }, permissions: everyPermission };
const agent: Identity = { caller: { id: 'agent', kind: 'client' }, permissions: permissionsOf(['read', 'call']) };
const asAdmin: Viewer = { identity: admin, scope: all };
const asAgent: Viewer = { identity: agent, scope: onlyA };

function setUp(maxEvents?: number, retentionMs?: number) {
  const events = createEvents<ToolboxEvents>();
  const entries = new Map<string, object>();
  const toolbox = {
    on: events.on,
    tools: [],
    catalog: { find: (name: string) => entries.get(name), entries: [...entries.values()] },
  } as unknown as InternalToolbox;
  const approvals = createEvents<ApproverEvents>();
  const hosts = createEvents<AppHostEvents>();
  const questions = createEvents<PendingQuestionsEvents>();
  const ownership = createOwnership({
    conversations: { get: async () => undefined },
    persons: { personOf: async (id) => id },
    toolbox,
  });
  const sources = { toolbox, approver: approvals, hosts, questions };
  const log = createEventLog({ sources, maxEvents, retentionMs });
  const seen: NumberedEvent[] = [];
  const leave = log.listen((event) => void seen.push(event));
  const show = (event: NumberedEvent | undefined, viewer: Viewer) => event && showEvent(event, viewer, ownership);
  return { events, approvals, hosts, questions, ownership, entries, log, seen, leave, show, last: () => seen.at(-1) };
}

const call = (changes: Partial<CallRecord> = {}): CallRecord => ({
  id: 'c1',
  server: 'a',
  tool: 'a__t',
  originalName: 't',
  caller: agent.caller,
  arguments: { query: 'private' },
  definitionHash: 'h',
  status: 'success',
  createdAt: '2026-01-01T00:00:00.000Z',
  result: { content: [{ type: 'text', text: 'answer' }] },
  ...changes,
});

afterEach(() => void vi.useRealTimers());

test('events are retained while there is a listener and for the retention time after, then dropped', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { events, log, leave, show } = setUp(10, 50);
  const start = await log.opened();
  events.emit('call.changed', call({ id: 'c1' }));
  leave();
  events.emit('call.changed', call({ id: 'c2' }));
  expect((await log.since(start))?.map((event) => show(event, asAdmin))).toMatchObject([{ id: 'c1' }, { id: 'c2' }]);
  vi.advanceTimersByTime(60);
  const before = await log.opened();
  events.emit('call.changed', call({ id: 'c3' }));
  expect(await log.since(start)).toBeUndefined();
  expect(await log.since(before)).toBeUndefined();
  expect(await log.since(await log.opened())).toEqual([]);
  log.listen(() => {});
  const now = await log.opened();
  events.emit('call.changed', call({ id: 'c4' }));
  expect((await log.since(now))?.map((event) => show(event, asAdmin))).toMatchObject([{ id: 'c4' }]);
});

test('a listener that reconnects receives the events it missed, unless they are no longer retained', async () => {
  const { events, log, show } = setUp(10);
  const start = await log.opened();
  for (let n = 0; n < 10; n++) events.emit('call.changed', call({ id: `c${n}` }));
  expect(await log.since(start)).toHaveLength(10);
  const middle = (await log.since(start))?.[6]?.id ?? '';
  expect((await log.since(middle))?.map((event) => show(event, asAdmin))).toMatchObject([
    { id: 'c7' },
    { id: 'c8' },
    { id: 'c9' },
  ]);
  expect(await log.since(await log.opened())).toEqual([]);
  events.emit('call.changed', call());
  expect(await log.since(start)).toBeUndefined();
  for (let n = 0; n < 100; n++) events.emit('call.changed', call());
  expect(await log.since(await log.opened())).toEqual([]);
  expect(await log.since(middle)).toBeUndefined();
});

test.each(['', 'nonsense', '0-5', 'x-y'])('the foreign or malformed event id %j cannot be resumed', async (id) => {
  expect(await setUp().log.since(id)).toBeUndefined();
});

test('an event id that was not issued yet cannot be resumed', async () => {
  const { log } = setUp();
  expect(await log.since(`${(await log.opened()).split('-')[0]}-5`)).toBeUndefined();
});

test('only administrators see arguments and results, other callers see the status of their own calls', () => {
  const { events, last, show } = setUp();
  events.emit('call.changed', call({ error: { code: 'TOOL_FAILED', message: 'private words' } }));
  expect(show(last(), asAdmin)).toMatchObject({
    arguments: { query: 'private' },
    result: { content: [{ text: 'answer' }] },
  });
  const own = show(last(), asAgent);
  expect(own).toMatchObject({ id: 'c1', status: 'success', errorCode: 'TOOL_FAILED' });
  expect(JSON.stringify(own)).not.toMatch(/private|answer/);
  events.emit('call.changed', call({ caller: { id: 'another', kind: 'client' } }));
  expect(show(last(), asAgent)).toBeUndefined();
});

test('large arguments and results are omitted from events', () => {
  const { events, last, show } = setUp();
  events.emit('call.changed', call({ result: { text: 'x'.repeat(10_000) } }));
  expect(show(last(), asAdmin)).toMatchObject({ id: 'c1', arguments: { query: 'private' }, result: undefined });
});

test('callers receive no events about servers and tools that their profile hides', () => {
  const { events, entries, last, show } = setUp();
  const status = { state: 'connected', since: 't', failures: 0, pid: 7, signInUrl: 'https://x' } as const;
  events.emit('server.changed', { server: 'b', status, before: 'connecting' });
  expect(show(last(), asAgent)).toBeUndefined();
  expect(show(last(), asAdmin)).toMatchObject({ server: 'b', status: { pid: 7, signInUrl: 'https://x' } });
  events.emit('server.changed', { server: 'a', status, before: 'connecting' });
  expect(show(last(), asAgent)).toMatchObject({ server: 'a' });
  expect(JSON.stringify(show(last(), asAgent))).not.toMatch(/pid|signIn/);

  entries.set('a__t', { server: 'a', originalName: 't' }).set('b__t', { server: 'b', originalName: 't' });
  events.emit('catalog.changed', { added: ['a__t', 'b__t'], removed: [], changed: [] });
  expect(show(last(), asAgent)).toEqual({ added: ['a__t'], removed: [], changed: [] });
  entries.clear();
  events.emit('catalog.changed', { added: [], removed: ['a__t', 'b__t'], changed: [] });
  expect(show(last(), asAgent)).toEqual({ added: [], removed: ['a__t'], changed: [] });
  entries.set('b__t', { server: 'b', originalName: 't' });
  events.emit('catalog.changed', { added: ['b__t'], removed: [], changed: [], server: 'b' });
  expect(show(last(), asAgent)).toBeUndefined();
});

test('a change of very many tools is published in later turns of the event loop, before the changes that follow it', async () => {
  const { events, entries, log, seen, show, last } = setUp();
  const names = Array.from({ length: 3_000 }, (_, at) => `a__${at}`);
  for (const name of names) entries.set(name, { server: 'a', originalName: name });
  events.emit('catalog.changed', { added: names, removed: [], changed: [] });
  events.emit('catalog.changed', { added: [], removed: ['a__7'], changed: [] });
  expect(seen).toEqual([]);
  await expect.poll(() => seen.length, { timeout: patienceMs }).toBe(2);
  expect(show(seen[0], asAgent)).toEqual({ added: names, removed: [], changed: [] });
  expect(show(last(), asAgent)).toEqual({ added: [], removed: ['a__7'], changed: [] });

  events.emit('catalog.changed', { added: [], removed: names, changed: [] });
  log.close();
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(seen).toHaveLength(2);
});

test('the owner of a conversation sees the calls of its assistant', () => {
  const { events, ownership, last, show } = setUp();
  const caller = { id: 'assistant:1', kind: 'assistant', conversation: 'talk' } as const;
  events.emit('call.changed', call({ caller }));
  expect(show(last(), asAgent)).toBeUndefined();
  ownership.setOwner('talk', 'agent');
  expect(show(last(), asAgent)).toMatchObject({ id: 'c1', status: 'success' });
  expect(show(last(), asAgent)).not.toHaveProperty('arguments');
  events.emit('call.changed', call({ caller: { id: 'agent:2', kind: 'client', conversation: 'talk' } }));
  expect(show(last(), asAgent)).toBeUndefined();
  ownership.removeOwner('talk');
  events.emit('call.changed', call({ caller }));
  expect(show(last(), asAgent)).toBeUndefined();
});

test('progress is sent to current listeners and not retained for listeners that reconnect', async () => {
  const { hosts, log, last, show } = setUp();
  const before = await log.opened();
  const about = { id: 'c1', tool: 'a__t', caller: agent.caller };
  hosts.emit('progressed', { call: about, progress: { progress: 1, total: 2, stray: 'x' } as never });
  expect(last()).toMatchObject({ name: 'call.progressed' });
  expect(last()?.id).toBeUndefined();
  expect(show(last(), asAgent)).toEqual({ id: 'c1', progress: 1, total: 2 });
  expect(await log.opened()).toBe(before);
});

test('the answer to an approval is published exactly once, even if no call waits for it', () => {
  const { events, approvals, seen, show } = setUp();
  const request = { id: 'q1', callId: 'c1', tool: 'a__t', caller: agent.caller } as ApprovalRequest;
  const answer = { kind: 'allow' } as const;
  approvals.emit('answered', { request, answer });
  events.emit('approval.answered', { request, answer });
  events.emit('approval.answered', { request: { ...request, id: 'q2' }, answer: { kind: 'deny' } });
  approvals.emit('withdrawn', { request: { ...request, id: 'q3' }, reason: 'gone' });
  expect(seen.map((event) => [event.name, show(event, asAgent)])).toMatchObject([
    ['approval.answered', { id: 'q1', answer: 'allow' }],
    ['approval.answered', { id: 'q2', answer: 'deny' }],
    ['approval.withdrawn', { id: 'q3', reason: 'gone' }],
  ]);
});
