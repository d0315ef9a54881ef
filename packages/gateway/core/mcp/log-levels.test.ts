import { expect, test } from 'vitest';
import { createEvents } from '../../../toolwharf/kernel/events.ts';
import type { InternalToolbox, ToolboxEvents } from '../../../toolwharf/toolbox.ts';
import { createLogLevels, isLogLevel, passesLevel } from './log-levels.ts';
import type { Sessions } from './sessions.ts';

/** A toolbox with one legacy server that supports logging and two others; it records the log levels that are set. */
function setUp(...levels: (string | undefined)[]) {
  const levelChanges: string[] = [];
  const events = createEvents<ToolboxEvents>();
  const statuses = new Map<string, object>([
    ['logs', { era: 'legacy', capabilities: { logging: {} }, state: 'connected' }],
    ['silent', { era: 'legacy', capabilities: {}, state: 'connected' }],
    ['modern', { era: 'modern', capabilities: { logging: {} }, state: 'connected' }],
  ]);
  const info = (name: string) => ({ name, status: statuses.get(name) });
  const toolbox = {
    on: events.on,
    servers: {
      get: info,
      list: () => [...statuses.keys()].map(info),
      setLogLevel: async (server: string, level: string) => void levelChanges.push(`${server} ${level}`),
    },
  } as unknown as InternalToolbox;
  const sessions = { all: () => levels.map((logLevel) => ({ logLevel })) } as unknown as Sessions;
  const reconnect = () =>
    events.emit('server.changed', { server: 'logs', status: statuses.get('logs') as never, before: 'connecting' });
  return { levelChanges, levels, reconnect, logLevels: createLogLevels({ toolbox, sessions }) };
}

test('a message passes if its level is at least the chosen one', () => {
  expect(passesLevel('error', 'info')).toBe(true);
  expect(passesLevel('info', 'info')).toBe(true);
  expect(passesLevel('debug', 'info')).toBe(false);
  expect(passesLevel('shout', 'debug')).toBe(false);
  expect([isLogLevel('notice'), isLogLevel('shout'), isLogLevel(undefined)]).toEqual([true, false, false]);
});

test('legacy servers are set to the most verbose level of all sessions', async () => {
  const { levelChanges, levels, logLevels } = setUp('error', undefined);
  await logLevels.settle();
  await logLevels.settle();
  levels.push('debug');
  await logLevels.settle();
  levels.pop();
  await logLevels.settle();
  expect(levelChanges).toEqual(['logs error', 'logs debug', 'logs error']);
});

test('a server that reconnects is set to the log level again', async () => {
  const { levelChanges, reconnect, logLevels } = setUp('warning');
  await logLevels.settle();
  reconnect();
  logLevels.close();
  reconnect();
  expect(levelChanges).toEqual(['logs warning', 'logs warning']);
});
