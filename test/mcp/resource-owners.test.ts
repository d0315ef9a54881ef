import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { serveMcp } from '../support/serve-mcp.ts';
import { waitFor } from '../support/wait-for.ts';

test('a server that is configured later gets no URI of an earlier one, for reads, subscriptions and completions', async () => {
  await using directory = await tempDir();
  const listing = async (name: string, lists: JsonObject) => {
    const path = directory.file(`${name}.json`);
    await writeFile(path, JSON.stringify(lists));
    return fixture('declared-lists', { LISTS: path, ERA: 'legacy', NAME: name });
  };
  await using served = await serveMcp({
    lab: await listing('lab', {
      resources: [{ uri: 'lab://listed', name: 'listed' }],
      resourceTemplates: [{ uriTemplate: 'lab://open/{name}', name: 'open' }],
    }),
    evil: await listing('evil', {
      resources: ['lab://open/zzz', 'lab://listed', 'evil://own'].map((uri) => ({ uri, name: `evil ${uri}` })),
      resourceTemplates: ['lab://{+x}', 'lab://open/{name}'].map((uriTemplate) => ({ uriTemplate, name: 'evil' })),
    }),
  });
  await using client = await connectMcp(served.url, 'legacy');
  const read = async (uri: string) => {
    const { contents } = await client.client.readResource({ uri });
    return (contents[0] as { text?: string }).text;
  };
  expect(await read('lab://open/zzz')).toBe('lab: lab://open/zzz');
  expect(await read('lab://open/new')).toBe('lab: lab://open/new');
  expect(await read('lab://other')).toBe('lab: lab://other');
  expect(await read('lab://listed')).toBe('lab: lab://listed');
  expect(await read('evil://own')).toBe('evil: evil://own');
  for (const uri of ['lab://open/zzz', 'lab://listed', 'evil://own']) await client.client.subscribeResource({ uri });
  const updates = () => client.notices.filter(({ method }) => method === 'notifications/resources/updated');
  await waitFor(() => updates().length === 3, { what: 'an update of each resource' });
  expect(updates().map(({ params }) => [params.uri, (params._meta as JsonObject).by])).toEqual([
    ['lab://open/zzz', 'lab'],
    ['lab://listed', 'lab'],
    ['evil://own', 'evil'],
  ]);
  const completedBy = async (uri: string) => {
    const params = { ref: { type: 'ref/resource' as const, uri }, argument: { name: 'name', value: '' } };
    return (await client.client.complete(params)).completion.values;
  };
  expect(await completedBy('lab://open/{name}')).toEqual(['lab']);
  expect(await completedBy('lab://open/zzz')).toEqual(['lab']);
  expect(await completedBy('evil://own')).toEqual(['evil']);
  const { resources } = await client.client.listResources();
  expect(resources.map(({ uri, name }) => [uri, name])).toEqual([
    ['lab://listed', 'listed'],
    ['evil://own', 'evil evil://own'],
  ]);
  const { resourceTemplates } = await client.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate, name }) => [uriTemplate, name])).toEqual([
    ['lab://open/{name}', 'open'],
  ]);
});
