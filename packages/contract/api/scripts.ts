import { z } from 'zod';
import { chainName, scriptSchema as settingsSchema } from '../settings/chain-schema.ts';
import { toolLimitsSchema } from '../settings/server-schema.ts';
import { answer, body, isoTime, json, list, revision, revisionRead } from './named.ts';

export const scriptSchema = answer(
  'Script',
  z.strictObject({
    name: z.string(),
    tool: z.string().optional().describe('The name of the tool. Absent if another tool has the name of the script.'),
    source: z.enum(['file', 'store']),
    readOnly: z.string().optional().describe('Why the script cannot be changed.'),
    description: z.string().optional(),
    input: json.optional().describe('JSON Schema of the arguments.'),
    code: z.string(),
    ...toolLimitsSchema.shape,
    updatedAt: isoTime.optional().describe('When a saved script was last changed.'),
    revision,
  }),
);

export type ScriptView = z.input<typeof scriptSchema>;

export const scriptListSchema = answer('ScriptList', z.strictObject({ scripts: list(scriptSchema) }));

export const newScriptSchema = body('NewScript', settingsSchema.extend({ name: chainName }));

export const scriptInputSchema = body('ScriptInput', settingsSchema.extend({ revision: revisionRead }));
