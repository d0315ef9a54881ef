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
  const isFirst = (await assistants.list()).length === 0;
  const assistant = assistantSchema.parse({
    id: randomUUID(),
    name: 'Demo assistant',
    description: 'Shows a conversation with tools without a language model: its answers are scripted.',
    instructions: 'Help the person with the tools you have. Say what you did with them, and be brief.',
    serverIds: configuredServers(toolbox.config),
  });
  if (isFirst) await assistants.put(assistant);
  await meta.set(seeded, new Date().toISOString());
  return isFirst ? assistant : undefined;
}

/** The enabled servers of the configuration, and the local tools and skills as one more. */
export function configuredServers({ servers, localTools: modules, skills }: InternalToolbox['config']): string[] {
  const names = servers.filter(({ enabled }) => enabled).map(({ name }) => name);
  return modules.length + skills.length > 0 ? [...names, localTools] : names;
}
