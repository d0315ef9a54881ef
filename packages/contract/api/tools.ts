import { z } from 'zod';
import { findingRules, severities } from '../definitions.ts';
import { serverName } from '../settings/schema-parts.ts';
import { toolLimitsSchema } from '../settings/server-schema.ts';
import { changeSchema } from './common.ts';
import { answer, body, json, list } from './named.ts';

export const warningSchema = answer(
  'DefinitionWarning',
  z.strictObject({
    rule: z.enum(findingRules),
    severity: z.enum(severities),
    where: z.string().describe('JSON pointer into the definition.'),
    excerpt: z.string().describe('The suspicious text, safe to display.'),
  }),
);

export const toolSchema = answer(
  'Tool',
  z.strictObject({
    name: z.string().describe('The exposed name, used to call the tool.'),
    title: z.string().optional(),
    description: z.string(),
    server: z.string().optional().describe('Absent for local tools.'),
    originalName: z.string().describe('Name of the tool on its server.'),
    parameters: json.describe('JSON Schema of the arguments.'),
    outputSchema: json.optional(),
    annotations: json.optional(),
    app: z
      .strictObject({
        uri: z.string().optional().describe('The app that shows results of the tool.'),
        only: z.boolean().optional().describe('Only apps may call the tool. Models do not see it.'),
      })
      .optional()
      .describe('Set if the tool has an app, or is only for apps (MCP Apps).'),
    definitionHash: z.string(),
    limits: toolLimitsSchema,
    changed: z
      .enum(['quarantine', 'ask'])
      .optional()
      .describe(
        'The definition differs from the accepted one. `quarantine`: calls are denied. `ask`: calls need approval.',
      ),
    isNew: z
      .boolean()
      .optional()
      .describe(
        'Its server offered the tool after its first list, and nobody has accepted it: profiles with `newTools: hide` do not have it.',
      ),
    changes: list(changeSchema).optional().describe('The differences to the accepted definition.'),
    rejected: z
      .boolean()
      .optional()
      .describe('The change or the new tool was rejected: calls are denied until it is accepted.'),
    disabled: z.boolean().optional().describe('The tool is switched off: it cannot be listed or called.'),
    override: z
      .strictObject({ name: z.string().optional(), title: z.string().optional(), description: z.string().optional() })
      .optional()
      .describe('The name, title and description that an administrator set.'),
    original: z
      .strictObject({ title: z.string().optional(), description: z.string().optional() })
      .optional()
      .describe("The server's own title and description, if an administrator replaced them."),
    chain: z
      .strictObject({
        steps: list(z.strictObject({ tool: z.string(), arguments: json }))
          .optional()
          .describe('The calls, in order.'),
        code: z.string().optional().describe('The script.'),
      })
      .optional()
      .describe('The steps or the script of a chain. Only for administrators, and not in lists.'),
    warnings: list(warningSchema)
      .optional()
      .describe('Suspicious parts of the definition: hints for a review, not a verdict.'),
  }),
);

export type ToolView = z.input<typeof toolSchema>;

export const toolListSchema = answer('ToolList', z.strictObject({ tools: list(toolSchema) }));

export const toolFormatsSchema = answer(
  'ToolFormats',
  z.strictObject({
    mcp: json.describe('The format of MCP.'),
    openai: json.optional().describe('The format of `tools` in the OpenAI Chat Completions API.'),
    anthropic: json.optional().describe('The format of `tools` in the Anthropic Messages API.'),
    gemini: json.optional().describe('The format of `tools` in the Gemini generateContent API.'),
    omitted: list(z.strictObject({ format: z.enum(['openai', 'anthropic', 'gemini']), reason: z.string() })).describe(
      'Providers that do not support this tool, with the reason.',
    ),
  }),
);

export type ToolFormats = z.input<typeof toolFormatsSchema>;

const definitionHash = z.string().describe('Hash of the definition that was reviewed.');

export const acceptInputSchema = body('AcceptInput', z.strictObject({ definitionHash }));

export const rejectInputSchema = body('RejectInput', z.strictObject({ definitionHash }));

export const switchInputSchema = body(
  'ToolSwitch',
  z.strictObject({
    enabled: z.boolean(),
    tools: z
      .array(z.strictObject({ server: serverName.optional().describe('Absent for local tools.'), tool: z.string() }))
      .min(1)
      .max(10_000)
      .describe('The tools by server and by their name on it.'),
  }),
);

export const switchedToolsSchema = answer(
  'SwitchedTools',
  z.strictObject({ changed: z.int().describe('The number of tools that were in the other state before.') }),
);

const shownText = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

export const overrideInputSchema = body(
  'ToolOverride',
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must have 1 to 64 of a-z, A-Z, 0-9, _ and -')
      .optional()
      .describe("Replaces the tool's own part of the exposed name."),
    title: shownText(200).optional(),
    description: shownText(10_000).optional(),
  }),
);
