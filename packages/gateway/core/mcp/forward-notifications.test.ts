import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { createEvents } from '../../../toolwharf/kernel/events.ts';
import type { InternalToolbox, ToolboxEvents } from '../../../toolwharf/toolbox.ts';
import { forwardNotifications } from './forward-notifications.ts';
import { createSessions } from './sessions.ts';
import type { ResourceAudience, Subscriptions } from './subscriptions.ts';

const profiles = [{ name: 'all' }, { name: 'few', servers: ['files'] }] as unknown as ProfileConfig[];
const [all, few] = profiles as [ProfileConfig, ProfileConfig];

/** Sessions of both profiles, and a toolbox that emits the events of the test. */
function setUp() {
  const events = createEvents<ToolboxEvents>();
  const toolbox = { on: events.on, config: { profiles } } as unknown as InternalToolbox;
  const sessions = createSessions({ onEnd: () => {} });
  const announced: string[] = [];
  const subscriptions = {
    announce(kind: string, concerns: (profile: ProfileConfig) => boolean) {
      for (const profile of [all, few]) if (concerns(profile)) announced.push(`${profile.name} ${kind}`);
    },
    announceResource(server: string, uri: string, _params: JsonObject, { isVisible }: ResourceAudience) {
      for (const { name } of [all, few]) if (isVisible(name)) announced.push(`${name} ${server} ${uri}`);
    },
  } as unknown as Subscriptions;
  const open = (profile: string) => {
    const received: JsonObject[] = [];
    const facts = {
      id: profile,
      caller: 'c',
      profile,
      protocolVersion: '2025-11-25',
      capabilities: {},
      expiresAt: Number.POSITIVE_INFINITY,
    };
    const session = sessions.open(facts);
    session.streams.add({ closed: false, end: () => {}, send: (message) => received.push(message) });
    return { session, methods: () => received.map(({ method }) => method), received };
  };
  const end = forwardNotifications({ toolbox, sessions, subscriptions });
  const say = (method: string, params: JsonObject, callIds: readonly string[] = [], server = 'mail') =>
    events.emit('server.notified', { server, method, params, callIds });
  return { events, announced, end, say, all: open('all'), few: open('few') };
}

test('clients with the server in their profile are notified of its changed lists', () => {
  const { events, announced, ...sessions } = setUp();
  events.emit('catalog.changed', { added: [], removed: [], changed: [], server: 'mail' } as never);
  events.emit('content.changed', { server: 'mail', kind: 'resourceTemplates' });
  events.emit('content.changed', { server: 'files', kind: 'prompts' });
  expect(sessions.all.methods()).toEqual([
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/prompts/list_changed',
  ]);
  expect(sessions.few.methods()).toEqual(['notifications/prompts/list_changed']);
  expect(announced).toEqual(['all tools', 'all resources', 'all prompts', 'few prompts']);
});

test('clients that watch a resource are notified when it is updated', () => {
  const { say, announced, ...sessions } = setUp();
  sessions.all.session.watched.set('memo://one', { server: 'mail', end: async () => {} });
  sessions.few.session.watched.set('memo://one', { server: 'files', end: async () => {} });
  say('notifications/resources/updated', { uri: 'memo://one' });
  expect(sessions.all.received).toMatchObject([{ params: { uri: 'memo://one' } }]);
  expect(sessions.few.received).toEqual([]);
  expect(announced).toEqual(['all mail memo://one']);
});

test('legacy clients do not get the id of the subscription at the server, and get other members of _meta', () => {
  const { say, ...sessions } = setUp();
  sessions.all.session.watched.set('memo://one', { server: 'mail', end: async () => {} });
  const subscription = { 'io.modelcontextprotocol/subscriptionId': 'listen:3' };
  say('notifications/resources/updated', { uri: 'memo://one', _meta: subscription });
  say('notifications/resources/updated', { uri: 'memo://one', _meta: { ...subscription, 'example/kept': 1 } });
  expect(sessions.all.received.map(({ params }) => params)).toEqual([
    { uri: 'memo://one' },
    { uri: 'memo://one', _meta: { 'example/kept': 1 } },
  ]);
});

test('a log message outside of any call reaches clients of that server, at the level they chose', () => {
  const { say, ...sessions } = setUp();
  sessions.all.session.logLevel = 'error';
  say('notifications/message', { level: 'info', data: 'quiet' });
  say('notifications/message', { level: 'error', data: 'loud' });
  say('notifications/message', { level: 'info', data: 'few' }, [], 'files');
  expect(sessions.all.received.map(({ params }) => (params as JsonObject).data)).toEqual(['loud']);
  expect(sessions.few.received.map(({ params }) => (params as JsonObject).data)).toEqual(['few']);
});

test('a log message that belongs to a call is not broadcast', () => {
  const { say, ...sessions } = setUp();
  say('notifications/message', { level: 'error', data: 'private' }, ['call']);
  expect(sessions.all.received).toEqual([]);
});

test('a client is notified once that its URL elicitation is complete', () => {
  const { say, end, ...sessions } = setUp();
  const question = { elicitationId: 'e1', _meta: { 'toolwharf/server': 'mail' } };
  sessions.all.session.addElicitation(question);
  const done = { elicitationId: 'e1' };
  // Another server cannot complete it.
  say('notifications/elicitation/complete', done, [], 'files');
  expect(sessions.all.received).toEqual([]);
  say('notifications/elicitation/complete', done);
  say('notifications/elicitation/complete', done);
  expect(sessions.all.received).toMatchObject([{ method: 'notifications/elicitation/complete', params: done }]);
  expect(sessions.few.received).toEqual([]);
  end();
  sessions.all.session.addElicitation(question);
  say('notifications/elicitation/complete', done);
  expect(sessions.all.received).toHaveLength(1);
});
