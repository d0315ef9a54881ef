import { expect, test } from 'vitest';
import type { MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { Draft } from './draft.ts';
import { recoverCalls } from './unfinished-calls.ts';

const asked: ToolCallPart = {
  type: 'tool-call',
  id: 'part-1',
  callId: 'call-1',
  name: 'mcp_files_write',
  arguments: {},
  status: 'asked',
  approvalId: 'approval-1',
};
const running: ToolCallPart = { ...asked, id: 'part-2', callId: 'call-2', status: 'running', approvalId: undefined };

async function recover(given: readonly ToolCallPart[]) {
  const parts: MessagePart[] = [...given];
  const draft = {
    parts,
    changePart(index: number, change: object) {
      parts[index] = { ...(parts[index] as ToolCallPart), ...change };
    },
    save: async () => {},
  } as unknown as Draft;
  const started = { startedAt: '2026-01-01T00:00:00.000Z', status: 'running' };
  const journal = { get: async (id: string) => (id === 'call-2' ? started : undefined), write: async () => {} };
  return { outcome: await recoverCalls(draft, journal as unknown as Parameters<typeof recoverCalls>[1]), parts };
}

test('a call that continues stays asked, so that its approval can be answered before it asks again', async () => {
  expect(await recover([asked])).toMatchObject({
    outcome: 'resumable',
    parts: [{ status: 'asked', approvalId: 'approval-1' }],
  });
});

test('a call that does not continue, because the outcome of another is unknown, asks no longer', async () => {
  const { outcome, parts } = await recover([asked, running]);
  expect(outcome).toBe('interrupted');
  expect(parts).toMatchObject([{ status: 'waiting' }, { status: 'unknown' }]);
  expect((parts[0] as ToolCallPart).approvalId).toBeUndefined();
});
