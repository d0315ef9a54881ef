import { z } from 'zod';
import { changeSchema } from './common.ts';
import { answer, body, json, list } from './named.ts';
import { warningSchema } from './tools.ts';

const server = z.string().optional().describe('The server of the skill. Absent for skills of local folders.');
const uri = z.string().min(1).describe('The URI of the `SKILL.md`.');

export const skillSchema = answer(
  'Skill',
  z.strictObject({
    server,
    uri,
    path: z.string().describe('Path of the folder on its server. The last segment is the name.'),
    name: z.string(),
    description: z.string(),
    frontmatter: json.describe('The whole head of the `SKILL.md`.'),
    files: z
      .union([
        list(z.strictObject({ path: z.string(), size: z.int(), digest: z.string() })),
        z.literal('dynamic').describe('The server generates the files, so that they cannot be verified.'),
      ])
      .describe('Every file of the skill.'),
    definitionHash: z.string().describe('Hash of the frontmatter and of the digests of all files.'),
    changed: z
      .enum(['quarantine', 'ask'])
      .optional()
      .describe(
        'The skill is not the accepted one, or cannot be verified. `quarantine`: it cannot be read. `ask`: reads need approval.',
      ),
    changes: list(changeSchema).optional().describe('The differences to the accepted skill.'),
    warnings: list(warningSchema)
      .optional()
      .describe('Suspicious texts, in what the server lists and in the files that were read.'),
  }),
);

export type SkillView = z.input<typeof skillSchema>;

export const skillListSchema = answer('SkillList', z.strictObject({ skills: list(skillSchema) }));

export const skillFileQuery = z.object({
  server,
  uri,
  path: z.string().min(1).optional().describe('Path of the file in the folder of the skill; `SKILL.md` by default.'),
});

export const skillContentSchema = answer(
  'SkillContent',
  z.strictObject({
    path: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional().describe('Base64 of a file that is not text.'),
  }),
);

export const acceptSkillSchema = body(
  'AcceptSkill',
  z.strictObject({
    server: z.string(),
    uri,
    definitionHash: z.string().describe('Hash of the skill that was reviewed.'),
  }),
);
