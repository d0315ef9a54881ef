import { expect, test } from 'vitest';
import { createMemoryPins } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

test('where new tools are hidden, a tool that its server announces later can be used after it is accepted', async () => {
  const pins = createMemoryPins();
  const config = { servers: { s: fixture('growing') }, toolbox: { newTools: 'hide' } } as const;
  {
    await using toolbox = await openToolbox(config, { pins });
    await toolbox.call('mcp_s_grow', { name: 'late' });
    const isThere = () => toolbox.catalog.find('mcp_s_late')?.isNew === true;
    await waitFor(isThere);
    expect(toolbox.tools.map(({ name }) => name)).toEqual(['mcp_s_grow']);
    expect(toolbox.tool('mcp_s_late')).toBeUndefined();
    expect(await toolbox.call('mcp_s_late', {})).toMatchObject({ failure: { code: 'TOOL_NAME_INVALID' } });
    expect(await toolbox.call({ server: 's', tool: 'late' }, {})).toMatchObject({ isError: true });
    expect(await toolbox.approvals.acceptChange('mcp_s_late')).toBe(true);
    expect(toolbox.tools.map(({ name }) => name)).toEqual(['mcp_s_grow', 'mcp_s_late']);
    expect((await toolbox.call('mcp_s_late', {})).isError).toBe(false);
    expect(await toolbox.approvals.acceptChange('mcp_s_late')).toBe(false);
    await toolbox.call('mcp_s_grow', { name: 'later' });
    await waitFor(() => toolbox.catalog.find('mcp_s_later')?.isNew === true);
  }
  await using again = await openToolbox(config, { pins });
  for (const name of ['late', 'later']) await again.call('mcp_s_grow', { name });
  await waitFor(() => again.catalog.find('mcp_s_later') !== undefined);
  expect([again.catalog.find('mcp_s_late')?.isNew, again.catalog.find('mcp_s_later')?.isNew]).toEqual([
    undefined,
    true,
  ]);
});
