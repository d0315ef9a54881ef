import { expect, test } from 'vitest';
import { fixture } from '../../../test/support/fixtures.ts';
import { openConfig } from '../../config/open-config.ts';
import { startToolbox } from '../../toolbox.ts';
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
