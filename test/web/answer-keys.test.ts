import { expect, test } from 'vitest';
import { answerKeys as terminalKeys } from '../../packages/cli/core/terminal/terminal-approver.ts';
import { answerKeys as appKeys } from '../../packages/web/src/components/approval/answer-keys.ts';

test('the app and the terminal answer approvals with the same keys, each with one meaning', () => {
  expect(appKeys).toEqual(terminalKeys);
  const keys = Object.values(appKeys);
  expect(new Set(keys).size).toBe(keys.length);
});
