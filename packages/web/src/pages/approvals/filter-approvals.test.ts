import { expect, test } from 'vitest';
import type { Approval } from '../../api/client.ts';
import { filterApprovals } from './filter-approvals.ts';

const approval = (server: string, originalName: string, more: Partial<Approval> = {}) =>
  ({
    id: `${server}/${originalName}`,
    server,
    originalName,
    tool: `mcp_${server}_${originalName}`,
    caller: { id: 'k1', kind: 'client', name: 'Editor', client: { name: 'Claude Code', version: '2.1' } },
    ...more,
  }) as Approval;

const approvals = [approval('files', 'read_file'), approval('mail', 'send', { answeredBy: 'Ann (u1)' })];
const found = (text: string) => filterApprovals(approvals, text).map(({ id }) => id);

test('approvals are found by tool, server, caller, program and who answered', () => {
  expect(found('')).toHaveLength(2);
  expect(found('files/read')).toEqual(['files/read_file']);
  expect(found('claude  SEND')).toEqual(['mail/send']);
  expect(found('ann')).toEqual(['mail/send']);
  expect(found('editor')).toHaveLength(2);
  expect(found('nobody')).toEqual([]);
});
