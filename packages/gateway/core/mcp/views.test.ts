import { expect, test } from 'vitest';
import { fixture } from '../../../../test/support/fixtures.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { startToolbox } from '../../../toolwharf/toolbox.ts';
import { noTraces } from '../calls/traces.ts';
import { answerRequest, instructionsOf } from './methods.ts';
import { createSerializedCache } from './serialized-cache.ts';
import { createViews } from './views.ts';

test('a list waits for servers that are still starting, and without a wait it names the missing ones', async () => {
  const servers = { slow: fixture('slow-start', { START_MS: '300' }) };
  await using toolbox = await startToolbox(await openConfig({ servers }), { startWaitMs: 0 });
  const [profile] = toolbox.config.profiles;
  if (!profile) throw new Error('There is no profile');
  const impatient = createViews({ toolbox, startWaitMs: 0 });
  const early = await impatient.get(profile);
  expect(early).toMatchObject({ tools: [], missing: [{ server: 'slow' }] });
  const patient = createViews({ toolbox, startWaitMs: 20_000 });
  const view = await patient.get(profile);
  expect(view.tools.map(({ name }) => name)).toContain('slow__echo');
  expect(view.missing).toEqual([]);
  expect(await patient.get(profile)).toBe(view);
  expect((await impatient.get(profile)).missing).toEqual([]);
  impatient.close();
  patient.close();
});

test('instructions have no halves of characters, which JSON parsers of other languages reject', async () => {
  await using toolbox = await startToolbox(await openConfig({ servers: { one: fixture('legacy') } }));
  const [profile] = toolbox.config.profiles;
  if (!profile) throw new Error('There is no profile');
  const views = createViews({ toolbox, startWaitMs: 120_000 });
  const view = await views.get(profile);
  const instructions = [{ server: 'one', text: `${'x'.repeat(7_999)}\u{1f600}` }];
  for (const servers of [1, 2]) expect(instructionsOf({ ...view, servers, instructions }).isWellFormed()).toBe(true);
  expect(instructionsOf({ ...view, servers: 1, instructions: [{ server: 'one', text: '\ud800' }] })).toBe('\ufffd');
  views.close();
});

test('profiles with the same tools share one index, and one whose tools differ has its own', async () => {
  const servers = { notes: { ...fixture('legacy'), description: 'Notes of the team' }, other: fixture('legacy') };
  const profiles = {
    one: { expose: 'search' },
    two: { expose: 'search' },
    less: { expose: 'search', servers: ['notes'] },
  };
  await using toolbox = await startToolbox(await openConfig({ servers, profiles } as never));
  const views = createViews({ toolbox, startWaitMs: 120_000 });
  const find = async (name: string) => {
    const profile = toolbox.config.profiles.find((one) => one.name === name);
    if (!profile) throw new Error('There is no such profile');
    return views.get(profile);
  };
  const [one, two, less] = [await find('one'), await find('two'), await find('less')];
  expect(two.toolSearch).toBe(one.toolSearch);
  expect(two.searchable).toBe(one.searchable);
  expect(less.toolSearch).not.toBe(one.toolSearch);
  const [search] = one.listed;
  expect(search?.description).toContain('Servers:\n- notes: Notes of the team\n- other');
  expect(less.listed[0]?.description).not.toContain('other');
  expect(instructionsOf(one)).toContain('Servers:\n- notes: Notes of the team\n- other');
  views.close();
});

test('a list of many tools has pages, which a client follows with the cursor', async () => {
  await using toolbox = await startToolbox(
    await openConfig({ servers: { many: fixture('generated-tools', { COUNT: '4100' }) } }),
  );
  const [profile] = toolbox.config.profiles;
  if (!profile) throw new Error('There is no profile');
  const views = createViews({ toolbox, startWaitMs: 120_000 });
  const view = await views.get(profile);
  const serialized = createSerializedCache();
  const list = (cursor?: unknown) =>
    answerRequest(
      {
        method: 'tools/list',
        params: cursor === undefined ? {} : { cursor },
        era: 'legacy',
        capabilities: {},
      } as never,
      { viewFor: () => view, serialized, traces: noTraces } as never,
    ) as Promise<{ tools: { name: string }[]; nextCursor?: string }>;
  const names: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list(cursor);
    sizes.push(page.tools.length);
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(sizes).toEqual([2_000, 2_000, view.listed.length - 4_000]);
  expect(names).toEqual(view.listed.map(({ name }) => name));
  for (const wrong of ['made-up', 7, '', Buffer.from('[0,"x"]').toString('base64url')])
    await expect(list(wrong)).rejects.toMatchObject({ code: -32602 });
  views.close();
});
