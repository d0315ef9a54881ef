import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({
    servers: { memo: fixture('legacy'), rich: fixture('rich-schema') },
    profiles: { narrow: { servers: ['memo'] } },
  });
});
afterAll(() => api.close());

describe('the formats of a tool', () => {
  test('the formats of a tool are its definition for MCP and for each provider, under its exposed name [R7, R11]', async () => {
    const { body } = await api.get('/api/tools/mcp_memo_add/formats', { key: api.adminToken });
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    };
    expect(body).toMatchObject({
      mcp: { name: 'mcp_memo_add', inputSchema: schema },
      openai: { type: 'function', function: { name: 'mcp_memo_add', parameters: schema } },
      anthropic: { name: 'mcp_memo_add', input_schema: schema },
      gemini: { functionDeclarations: [{ name: 'mcp_memo_add', parametersJsonSchema: schema }] },
      omitted: [],
    });
  });

  test('the formats of a tool include the reason why a provider does not accept the tool', async () => {
    const { body } = await api.get('/api/tools/mcp_rich_odd_names/formats', { key: api.adminToken });
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['mcp', 'openai']));
    expect(body.anthropic).toBeUndefined();
    expect(body.omitted).toContainEqual({ format: 'anthropic', reason: expect.stringContaining('filter[id]') });
  });

  test('the formats of a tool are shown for visible, existing tools only', async () => {
    expect(await api.get('/api/tools/mcp_memo_gone/formats', { key: api.adminToken })).toMatchObject({
      status: 404,
      body: { error: { code: 'TOOL_NAME_INVALID' } },
    });
    const reader = await api.key(['read'], 'narrow');
    expect((await api.get('/api/tools/mcp_rich_plan/formats', { key: reader })).status).toBe(404);
    expect((await api.get('/api/tools/mcp_memo_add/formats', { key: reader })).status).toBe(200);
  });
});
