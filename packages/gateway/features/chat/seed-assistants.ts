import { randomUUID } from 'node:crypto';
import { type Assistant, assistantSchema } from '../../../contract/records/assistant.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox-types.ts';
import { localTools } from './assistant-policy.ts';

const seeded = 'assistants.seeded';

/**
 * Creates the demo assistant, with the enabled servers, local tools and local skills of the configuration, if there was never an assistant before. Returns it if it
 * was created. A deleted assistant is not created again.
 */
export async function seedAssistants(
  { assistants, meta }: Pick<Storage, 'assistants' | 'meta'>,
  toolbox: Pick<InternalToolbox, 'config'>,
): Promise<Assistant | undefined> {
  if ((await meta.get(seeded)) !== undefined) return undefined;
  const { localTools: localModules, skills } = toolbox.config;
  const servers = toolbox.config.servers.filter(({ enabled }) => enabled).map(({ name }) => name);
  const isFirst = (await assistants.list()).length === 0;
  const assistant = assistantSchema.parse({
    id: randomUUID(),
    name: 'Demo assistant',
    description: 'Shows a conversation with tools without a language model: its answers are scripted.',
    instructions: 'Help the person with the tools you have. Say what you did with them, and be brief.',
    serverIds: [...servers, ...(localModules.length + skills.length > 0 ? [localTools] : [])],
  });
  if (isFirst) await assistants.put(assistant);
  await meta.set(seeded, new Date().toISOString());
  return isFirst ? assistant : undefined;
}
