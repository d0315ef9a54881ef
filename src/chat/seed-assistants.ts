import { randomUUID } from 'node:crypto';
import { type Assistant, assistantSchema } from '../storage/ports/assistant-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { Toolbox } from '../toolbox-types.ts';

const seeded = 'assistants.seeded';

/**
 * Makes the first assistant where none was ever made, with the enabled servers of the configuration, on the demo model. One that was
 * removed does not come back. Gives it back when it was made.
 */
export async function seedAssistants(
  { assistants, meta }: Pick<Storage, 'assistants' | 'meta'>,
  toolbox: Pick<Toolbox, 'config'>,
): Promise<Assistant | undefined> {
  if ((await meta.get(seeded)) !== undefined) return undefined;
  const isFirst = (await assistants.list()).length === 0;
  const assistant = assistantSchema.parse({
    id: randomUUID(),
    name: 'Demo assistant',
    description: 'Shows how a conversation with tools goes, without a model: its answers are scripted.',
    instructions: 'Help the person with the tools you have. Say what you did with them, and be brief.',
    serverIds: toolbox.config.servers.filter(({ enabled }) => enabled).map(({ name }) => name),
  });
  if (isFirst) await assistants.put(assistant);
  await meta.set(seeded, new Date().toISOString());
  return isFirst ? assistant : undefined;
}
