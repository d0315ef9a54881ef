import { describe, expect, test } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest } from '../../packages/toolwharf/index.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

/** A toolbox whose tool changes while each of the first approvals is pending. */
async function openWith(changes: number) {
  const asked: ApprovalRequest[] = [];
  const config = {
    servers: { s: fixture('changing') },
    toolbox: { approval: { mode: 'trusted-only', trustedTools: ['*mutate'] } },
  } as const;
  const toolbox = await openToolbox(config, {
    approver: {
      async ask(request: ApprovalRequest): Promise<ApprovalAnswer> {
        asked.push(request);
        if (asked.length <= changes) await change();
        return { kind: 'allow' };
      },
    },
  });
  async function change(): Promise<void> {
    const before = toolbox.catalog.find('mcp_s_target')?.definitionHash;
    await toolbox.call('mcp_s_mutate', {});
    await waitFor(() => toolbox.catalog.find('mcp_s_target')?.definitionHash !== before, {
      what: 'the changed definition',
    });
  }
  return Object.assign(toolbox, { asked });
}

describe('a tool that changes while a person thinks about the call', () => {
  test('a tool that changes during its approval is asked about again with the difference, and runs once', async () => {
    await using toolbox = await openWith(1);
    const result = await toolbox.call('mcp_s_target', { a: 'x', b: 'y' });
    expect(result.text).toBe('version 2: {"a":"x","b":"y"}');
    expect(toolbox.asked).toHaveLength(2);
    expect(toolbox.asked[0]?.change).toBeUndefined();
    expect(toolbox.asked[1]?.change).toContainEqual(expect.objectContaining({ path: '/description', kind: 'changed' }));
  });

  test('a tool that changes so that the arguments no longer fit does not run', async () => {
    await using toolbox = await openWith(1);
    expect(await toolbox.call('mcp_s_target', { a: 'x' })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
  });

  test('a tool that keeps changing during its approval does not run', async () => {
    await using toolbox = await openWith(10);
    const result = await toolbox.call('mcp_s_target', { a: 'x', b: 'y' });
    expect(result).toMatchObject({ isError: true, failure: { code: 'TOOL_CHANGED' } });
    expect(toolbox.asked).toHaveLength(3);
  });
});
