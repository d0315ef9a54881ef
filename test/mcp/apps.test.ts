import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';

const extensions = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };
const clock = (NAME: string, protocol: 'legacy' | 'modern') => ({ ...fixture('apps', { NAME }), protocol });

let api: TestApi;
let key: string;
beforeAll(async () => {
  api = await startApi({
    servers: { old: clock('Old', 'legacy'), new: clock('New', 'modern'), notes: fixture('legacy') },
    profiles: {
      plain: { naming: 'plain' },
      one: { naming: 'plain', servers: ['old'] },
      search: { servers: ['old'], expose: 'search' },
      bare: { servers: ['old'], resources: ['memo://**'] },
      asking: { servers: ['old', 'notes'], approval: { mode: 'always-ask' }, deny: ['old/set_alarm'] },
    },
  });
  key = await api.key(['read', 'call'], 'asking');
});
afterAll(() => api.close());

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string; readonly visibility?: string[] } };
}

describe.each(['legacy', 'modern'] as const)('for a %s client', (era) => {
  const connect = (profile: string, options: Parameters<typeof connectMcp>[2] = { extensions }) =>
    connectMcp(`${api.url}/mcp/${profile}`, era, options);
  const toolsOf = async ({ client }: McpClient) => (await client.listTools()).tools as Listed[];
  const read = async ({ client }: McpClient, uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    return content as { uri: string; mimeType?: string; text: string };
  };
  const nameIn = ({ text }: { readonly text: string }) => /<h1>(.*)<\/h1>/.exec(text)?.[1];

  test.each(['old', 'new'])(
    'a client opens the app of the tool of server %s, although both have the same URI',
    async (server) => {
      await using client = await connect('default');
      const tool = (await toolsOf(client)).find(({ name }) => name === `${server}__show_clock`);
      const uri = `ui://${server}/clock/view.html`;
      expect(tool?._meta).toEqual({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });
      const content = await read(client, uri);
      expect(content).toMatchObject({ uri, mimeType: RESOURCE_MIME_TYPE });
      expect(nameIn(content)).toBe(server === 'old' ? 'Old' : 'New');
      const { _meta } = await client.client.callTool({ name: `${server}__show_clock`, arguments: { city: 'Rome' } });
      expect(_meta).toMatchObject({ ui: { resourceUri: uri } });
      const { resources } = await client.client.listResources();
      expect(
        resources
          .filter(({ uri }) => uri.startsWith('ui://'))
          .map(({ uri }) => uri)
          .sort(),
      ).toEqual(['ui://new/clock/view.html', 'ui://old/clock/view.html']);
    },
  );

  test('a client sees an app and its tools unchanged through a profile with one server in plain naming', async () => {
    await using client = await connect('one');
    const tools = new Map((await toolsOf(client)).map((tool) => [tool.name, tool._meta]));
    const resourceUri = 'ui://clock/view.html';
    const flat = { 'ui/resourceUri': resourceUri };
    expect(tools.get('show_clock')).toEqual({ ui: { resourceUri }, ...flat });
    expect(tools.get('tick')).toEqual({ ui: { resourceUri, visibility: ['app'] }, ...flat });
    expect(tools.get('set_alarm')).toBeUndefined();
    expect((await read(client, resourceUri)).uri).toBe(resourceUri);
    expect(await client.text('tick')).toMatch(/^Old tick \d+$/);
  });

  test('a client opens the app of the right server in plain naming, where only the second one gets a prefix', async () => {
    await using client = await connect('plain');
    const listed = await toolsOf(client);
    const uris = new Set(listed.flatMap(({ _meta }) => _meta?.ui?.resourceUri ?? []));
    expect(uris.size).toBeGreaterThan(0);
    const { resources } = await client.client.listResources();
    const apps = resources.filter(({ uri }) => uri.startsWith('ui://')).map(({ uri }) => uri);
    expect(apps).toEqual(['ui://clock/view.html', 'ui://new/clock/view.html']);
    expect(nameIn(await read(client, 'ui://clock/view.html'))).toBe('Old');
    expect(nameIn(await read(client, 'ui://new/clock/view.html'))).toBe('New');
  });

  test('a client that does not show apps neither sees nor calls tools for apps only', async () => {
    await using client = await connect('one', {});
    const names = (await toolsOf(client)).map(({ name }) => name);
    expect(names).toContain('show_clock');
    expect(names).not.toContain('tick');
    await expect(client.text('tick')).rejects.toThrow('Unknown tool: tick');
    await expect(client.text('mcp_old_tick')).rejects.toThrow('Unknown tool');
  });

  test('a client calls the tools of an app by the names that the app knows, if only one server has them', async () => {
    await using several = await connect('default');
    await expect(several.text('tick')).rejects.toThrow('Unknown tool: tick');
    expect(await several.text('new__tick')).toMatch(/^New tick/);
    await using only = await connect('search');
    expect(await only.text('tick')).toMatch(/^Old tick/);
    await expect(only.text('wind_up')).rejects.toThrow('Unknown tool: wind_up');
    expect(nameIn(await read(only, 'ui://clock/view.html'))).toBe('Old');
  });

  test('a client is told that apps must not call the tools of servers without apps', async () => {
    await using client = await connect('default');
    const tools = new Map((await toolsOf(client)).map((tool) => [tool.name, tool._meta?.ui?.visibility]));
    expect(tools.get('notes__echo')).toEqual(['model']);
    expect(tools.get('old__set_alarm')).toBeUndefined();
    await using search = await connect('search');
    const listed = await toolsOf(search);
    expect(listed.find(({ name }) => name === 'call_tool')?._meta?.ui?.visibility).toEqual(['model']);
    expect(listed.find(({ name }) => name === 'old__tick')?._meta?.ui?.visibility).toEqual(['app']);
  });

  test('the tool search does not find tools for apps only', async () => {
    await using client = await connect('search');
    const { structuredContent } = await client.client.callTool({
      name: 'search_tools',
      arguments: { query: 'tick counts' },
    });
    expect(JSON.stringify(structuredContent)).not.toContain('tick');
    expect(await client.text('call_tool', { name: 'old__tick' })).not.toMatch(/^Old tick/);
  });

  test('an app that the profile hides cannot be read', async () => {
    await using client = await connect('bare');
    const { resources } = await client.client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('ui://'))).toEqual([]);
    await expect(read(client, 'ui://old/clock/view.html')).rejects.toThrow('Resource not found');
    await expect(read(client, 'ui://clock/view.html')).rejects.toThrow('Resource not found');
    await expect(read(client, 'ui://new/clock/view.html')).rejects.toThrow('Resource not found');
  });

  test('calls from an app have the policy, the approval and the journal of the client', async () => {
    await using client = await connect('asking', { extensions, key });
    await expect(client.text('set_alarm', { at: '7' })).rejects.toThrow('Unknown tool: set_alarm');
    const calling = client.text('tick');
    const approval = await pendingApproval();
    expect(approval).toMatchObject({ originalName: 'tick', server: 'old', caller: { kind: 'client' } });
    await api.post(`/api/approvals/${approval.id}/answer`, { answer: 'allow' }, { key: api.adminToken });
    expect(await calling).toMatch(/^Old tick/);
    const { calls } = (await api.get('/api/calls?tool=tick&limit=1', { key: api.adminToken })).body;
    expect(calls[0]).toMatchObject({ status: 'success', caller: approval.caller, approval: { answer: 'allow' } });
  });

  test.each(['old', 'new'])('server %s learns that the client shows apps', async (server) => {
    await using client = await connect('default');
    expect(JSON.parse(await client.text(`${server}__client`))).toEqual({ mimeTypes: [RESOURCE_MIME_TYPE] });
  });

  test('a modern server learns that the client of a call shows no apps', async () => {
    await using client = await connect('default', {});
    expect(JSON.parse(await client.text('new__client'))).toBeNull();
  });
});

async function pendingApproval(): Promise<JsonObject & { readonly id: string }> {
  return waitFor(
    async () => (await api.get('/api/approvals?status=pending', { key: api.adminToken })).body.approvals[0],
    { what: 'the approval' },
  );
}
