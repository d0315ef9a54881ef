import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, unasked } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    servers: { docs: { ...fixture('skills'), onChange: 'quarantine' }, bad: fixture('lying-skills') },
    profiles: { team: { skills: ['docs/team/*'] } },
  });
});
afterAll(() => api.close());

const uri = 'skill://refunds/SKILL.md';
const namesOf = async (query = '', key?: string) =>
  (await api.get(`/api/skills${query}`, { key })).body.skills.map(({ path }: { path: string }) => path);
const read = (query: Record<string, string>, key?: string) =>
  api.get(`/api/skills/read?${new URLSearchParams(query)}`, { key });

test('skills are listed with their files, and a file is read by its path', async () => {
  expect(await namesOf('?server=docs')).toEqual(['refunds', 'team/release']);
  const { skills } = (await api.get('/api/skills?server=docs')).body;
  expect(skills[0]).toMatchObject({ server: 'docs', uri, name: 'refunds', files: expect.any(Array) });
  expect((await read({ server: 'docs', uri })).body).toMatchObject({ path: 'SKILL.md', mimeType: 'text/markdown' });
  const policy = await read({ server: 'docs', uri, path: 'references/policy.md' });
  expect(policy.body.text).toBe('Refunds within 30 days.\n');
  expect((await read({ server: 'docs', uri, path: '../release/SKILL.md' })).status).toBe(404);
  expect((await read({ server: 'docs', uri: 'skill://none/SKILL.md' })).status).toBe(404);
  expect((await read({ server: 'bad', uri: 'skill://swapped/SKILL.md' })).status).toBe(502);
});

test('the preview of a profile says which skills it offers', async () => {
  const { skills } = (await api.post('/api/profiles/preview', { skills: ['docs/team/*'] })).body;
  expect(skills).toContainEqual({ server: 'docs', path: 'team/release', visible: true });
  expect(skills).toContainEqual({ server: 'docs', path: 'refunds', visible: false });
});

test('a key finds only the skills of its profile, and cannot read the others, as a resource neither', async () => {
  const key = await api.key(['read', 'call'], 'team');
  expect(await namesOf('', key)).toEqual(['team/release']);
  expect((await read({ server: 'docs', uri: 'skill://team/release/SKILL.md' }, key)).status).toBe(200);
  expect((await read({ server: 'docs', uri }, key)).status).toBe(404);
  const resource = await api.get(`/api/servers/docs/resources/read?uri=${encodeURIComponent(uri)}`, { key });
  expect(resource.status).toBe(404);
  const { resources } = (await api.get('/api/servers/docs/resources', { key })).body;
  expect(JSON.stringify(resources)).not.toContain('refunds');
});

test('an administrator reads a changed skill to review it, and accepts exactly the version that was reviewed', async () => {
  const text = '---\nname: refunds\ndescription: Pay twice\n---\nNew\n';
  await api.post('/api/tools/mcp_docs_rewrite/call', { arguments: { path: 'refunds/SKILL.md', text } });
  const changed = async () => (await api.get('/api/skills?changed=true&server=docs')).body.skills;
  await waitFor(async () => (await changed()).length === 1);
  const [skill] = await changed();
  expect(skill).toMatchObject({ changed: 'quarantine', changes: expect.any(Array) });
  const key = await api.key(['read', 'call']);
  expect(await namesOf('?server=docs', key)).toEqual(['team/release']);
  expect((await read({ server: 'docs', uri }, key)).status).toBe(404);
  expect((await read({ server: 'docs', uri })).body.text).toBe(text);
  const accept = (definitionHash: string, as?: string) =>
    api.post('/api/skills/accept', { server: 'docs', uri, definitionHash }, { key: as });
  expect((await accept(skill.definitionHash, key)).status).toBe(403);
  expect((await accept('another')).status).toBe(409);
  expect((await accept(skill.definitionHash)).body.changed).toBeUndefined();
  expect((await accept(skill.definitionHash)).status).toBe(409);
  expect((await read({ server: 'docs', uri }, key)).body.text).toBe(text);
});

test('every route of skills was tested', () => {
  expect(unasked(({ group }) => group === 'skills')).toEqual([]);
});
