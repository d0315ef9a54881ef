import { expect, test } from 'vitest';
import { createScripts } from '../../packages/toolwharf/bridges/code.ts';
import { toOpenAITools } from '../../packages/toolwharf/bridges/openai.ts';
import { callByProviderName } from '../../packages/toolwharf/bridges/shared/call-by-provider-name.ts';
import { anyProviderRules } from '../../packages/toolwharf/bridges/shared/provider-rules.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const config = { servers: { notes: { ...fixture('legacy'), description: 'Zettelkasten of the team. More text.' } } };

test.each(['search', 'code'] as const)(
  'a model is told the servers and their purposes with expose: %s',
  async (expose) => {
    await using toolbox = await openToolbox(config, { scripts: createScripts() });
    const tools = toOpenAITools(toolbox, { expose });
    const { description } = tools.find((tool) => tool.function.name === 'search_tools')?.function ?? {};
    expect(description).toMatch(/Servers:\n- notes: Zettelkasten of the team\.?$/);
    const again = toOpenAITools(toolbox, { expose });
    expect(again).toEqual(tools);
  },
);

test.each(['search', 'code'] as const)(
  'a search that finds nothing says what there is with expose: %s',
  async (expose) => {
    await using toolbox = await openToolbox(config, { scripts: createScripts() });
    const call = { name: 'search_tools', args: { query: 'xylophone' } };
    const [result] = await callByProviderName(toolbox, [call], anyProviderRules, { expose });
    expect(result?.structuredContent).toMatchObject({ tools: [], hint: expect.stringContaining('Servers: notes.') });
    expect(result?.text).toContain('Servers: notes.');
  },
);
