import { expect, test } from 'vitest';
import { collectLog } from '../../test/support/fixtures.ts';
import type { ToolboxConfig } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import { createMemoryJournal } from '../storage/memory/memory-journal.ts';
import { createMemoryRules } from '../storage/memory/memory-stores.ts';
import { createReader } from './read-content.ts';

test('a question during a read names its call, which awaits input until the host has answered', async () => {
  const asked: unknown[] = [];
  const read = createReader({
    settings: () =>
      ({ approval: { mode: 'auto', ask: [], deny: [], trustedTools: [], reads: 'allow' } }) as never as ToolboxConfig,
    findConnection: () =>
      ({ spec: { name: 's', timeoutMs: 1_000, target: { transport: 'http', url: 'http://s' } } }) as never,
    journal: createMemoryJournal(),
    rules: createMemoryRules(),
    approver: undefined,
    clock: systemClock,
    log: collectLog().log,
    defaultHost: {},
    onLog: () => {},
    onCall: () => {},
    onAsked: () => {},
    onAnswered: () => {},
    isOfSkill: () => false,
    async send(server, _method, _params, { host }) {
      const context = { server, signal: new AbortController().signal };
      return { contents: [await host?.elicit?.({ message: 'Which?' }, context)] };
    },
  });
  const host = {
    elicit: async (
      _params: unknown,
      { call }: { readonly call: { readonly tool: string; readonly state: string } },
    ) => {
      await Promise.resolve();
      asked.push([call.tool, call.state]);
      return { action: 'decline' as const };
    },
  };
  const answer = await read({ kind: 'resource', server: 's', params: { uri: 'x://1' } }, { host });
  expect(answer).toEqual({ contents: [{ action: 'decline' }] });
  expect(asked).toEqual([['resources/read', 'awaiting-input']]);
});
