import { expect, test } from 'vitest';
import { assistantSchema } from '../../../contract/records/assistant.ts';
import { parseConfig } from '../../../toolwharf/config/load-config.ts';
import { openStorage } from '../../core/storage/open-storage.ts';
import { seedAssistants } from './seed-assistants.ts';

const { config } = parseConfig(
  { servers: { files: { command: 'node' }, web: { url: 'https://example.com' } } },
  { env: {} },
);

test('the first start creates an assistant with all servers and always-ask approval, and later starts do not create it again [R8]', async () => {
  await using storage = await openStorage({ kind: 'memory' });
  const made = await seedAssistants(storage, { config });
  expect(made).toMatchObject({
    name: 'Demo assistant',
    serverIds: ['files', 'web'],
    toolApproval: 'always-ask',
    model: { provider: 'demo', model: 'demo' },
  });
  expect(await storage.assistants.list()).toEqual([{ ...made, revision: 1 }]);
  expect(await seedAssistants(storage, { config })).toBeUndefined();
  await storage.assistants.remove(made?.id ?? '');
  expect(await seedAssistants(storage, { config })).toBeUndefined();
  expect(await storage.assistants.list()).toEqual([]);
});

test('no assistant is created if there are assistants already', async () => {
  await using storage = await openStorage({ kind: 'memory' });
  await storage.assistants.put(assistantSchema.parse({ id: crypto.randomUUID(), name: 'Mine' }));
  expect(await seedAssistants(storage, { config })).toBeUndefined();
  expect((await storage.assistants.list()).map(({ name }) => name)).toEqual(['Mine']);
});
