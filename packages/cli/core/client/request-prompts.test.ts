import { expect, test } from 'vitest';
import type { ApprovalAnswer } from '../../../toolwharf/policy/approval.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createTerminalLock } from '../terminal/terminal-lock.ts';
import type { GatewayClient } from './gateway-client.ts';
import { createRequestPrompts } from './request-prompts.ts';

test('an approval that is withdrawn and asked again, because its call continues, is prompted for again', async () => {
  const prompted: ((answer: ApprovalAnswer) => void)[] = [];
  const posted: unknown[] = [];
  const gateway = {
    getApproval: async () => ({ status: 'pending' }),
    answerApproval: async ({ body }: { readonly body: unknown }) => posted.push(body),
  } as unknown as GatewayClient;
  const approver = {
    ask: (_request: unknown, signal: AbortSignal) =>
      new Promise<ApprovalAnswer>((resolve) => {
        prompted.push(resolve);
        signal.addEventListener('abort', () => resolve({ kind: 'deny' }));
      }),
  };
  const prompts = createRequestPrompts({ gateway, terminal: {} as Terminal, lock: createTerminalLock(), approver });

  const first = prompts.promptForApproval('one');
  await expect.poll(() => prompted.length).toBe(1);
  prompts.close('one');
  await first;
  expect(posted).toEqual([]);

  const second = prompts.promptForApproval('one');
  await prompts.promptForApproval('one');
  await expect.poll(() => prompted.length).toBe(2);
  prompted[1]?.({ kind: 'allow', scope: 'once' });
  await second;
  expect(posted).toEqual([{ answer: 'allow', scope: 'once' }]);
});
