import { expect, test } from 'vitest';
import { parseConfig } from '../config/load-config.ts';
import { createLog, type LogEntry } from '../kernel/log.ts';
import { logConfigChanges } from './log-config-changes.ts';

function changes(before: object, after: object): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  const [one, other] = [before, after].map((document) => parseConfig(document, { env: {} }).config);
  if (one && other)
    logConfigChanges(
      createLog((entry) => entries.push(entry)),
      one,
      other,
    );
  return entries;
}

test('servers that a new configuration adds, changes and removes are logged at INFO by name [N4]', () => {
  const entries = changes(
    { servers: { gone: { command: 'x' }, kept: { command: 'y' }, other: { command: 'z' } } },
    {
      servers: {
        kept: { command: 'y' },
        other: { command: 'z', mode: 'strict', timeout: '60s' },
        fresh: { command: 'x' },
      },
    },
  );
  expect(entries.map(({ level, message }) => `${level} ${message}`)).toEqual([
    "info Server 'gone' was removed",
    "info Server 'fresh' was added",
    "info Server 'other' was changed: timeoutMs (30000 → 60000), mode (dynamic → strict), defaultTool.timeoutMs (30000 → 60000)",
  ]);
});

test('changed limits, approval and profiles are logged [N4]', () => {
  const entries = changes(
    { toolbox: { maxConcurrent: 5 }, profiles: { a: {}, b: {} } },
    {
      toolbox: { maxConcurrent: 9, approval: { mode: 'always-ask', trustedTools: ['x/*'] } },
      profiles: { a: { servers: ['x'] }, c: {} },
      gateway: { requireAuthentication: true, limits: { maxStreams: 7 } },
    },
  );
  const messages = entries.map(({ message }) => message);
  expect(messages).toEqual(
    expect.arrayContaining([
      "Profile 'a' was changed",
      "Profile 'b' was removed",
      "Profile 'c' was added",
      expect.stringMatching(/toolbox\.maxConcurrent \(5 → 9\)/),
      expect.stringMatching(/toolbox\.approval\.mode \(auto → always-ask\)/),
      'Configuration changed: toolbox.approval.trustedTools',
      'Configuration changed: gateway.requireAuthentication (false → true)',
      expect.stringMatching(/gateway\.limits\.maxStreams \(\d+ → 7\)/),
    ]),
  );
});

test('a log of changes never contains values of variables, headers, credentials, URLs or arguments [N4]', () => {
  const secret = (value: string) => ({
    servers: {
      a: { command: 'x', args: [value], env: { TOKEN: value } },
      b: {
        url: `https://x.y/${value}`,
        headers: { 'x-key': value },
        authentication: { type: 'bearer', token: value },
      },
    },
    gateway: {
      webhook: { url: `https://hooks.example/${value}`, secret: value },
      database: `postgres://me:${value}@x/y`,
    },
  });
  const text = JSON.stringify(changes(secret('first'), secret('second')));
  expect(text).not.toMatch(/first|second/);
  expect(text).toContain("Server 'a' was changed: args, env");
  expect(text).toContain("Server 'b' was changed: url, headers, authentication");
  expect(text).toContain('gateway.webhook.secret');
});

test('an unchanged configuration logs nothing', () => {
  const document = { servers: { a: { command: 'x' } }, profiles: { p: {} } };
  expect(changes(document, document)).toEqual([]);
});

test('each configured tool whose limits changed is logged with its limits [N4]', () => {
  const entries = changes(
    { toolbox: { tools: [{ name: 'kept' }, { name: 'gone', maxInstances: 2 }, { name: 'more', maxInstances: 10 }] } },
    {
      toolbox: {
        tools: [{ name: 'kept' }, { name: 'more', maxInstances: 20, timeout: '5s' }, { server: 'crm', name: 'new' }],
      },
    },
  );
  expect(entries.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info Configuration changed: toolbox.tools gone was removed: maxInstances (2 → not set)',
    'info Configuration changed: toolbox.tools more was changed: maxInstances (10 → 20), timeoutMs (not set → 5000)',
    'info Configuration changed: toolbox.tools crm/new was added',
  ]);
});
