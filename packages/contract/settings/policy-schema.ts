import { z } from 'zod';
import { callerKinds } from '../calls.ts';
import type { DeepReadonly } from '../json.ts';
import { pluginModes, policyActions, policyFailures } from './choices.ts';
import { choice, filledText, list, profileName, text } from './schema-parts.ts';

const anyMap = z.record(z.string(), z.unknown(), { error: 'must be a map' });

function members<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: 'must be a map' }).partial();
}

const parentSchema = members({ kind: z.enum(['call', 'answer']), server: text, tool: text });

/** A call that a rule is tried with by `toolwharf policy test`. What it leaves out is empty. */
const exampleSchema = z.strictObject(
  {
    call: members({ server: text, tool: text, name: text, args: anyMap, annotations: anyMap, parent: parentSchema })
      .optional()
      .describe('The call.'),
    caller: members({ id: text, kind: choice(callerKinds), name: text })
      .optional()
      .describe('The caller.'),
    person: members({ name: text, groups: list(text), roles: list(text) })
      .optional()
      .describe('The person.'),
    client: members({ name: text, version: text }).optional().describe('The client program.'),
    profile: text.optional().describe('The name of the profile.'),
    now: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
      .optional()
      .describe('The time of the call, such as 2026-01-31T08:00:00Z. Default: the present.'),
    applies: z.boolean({ error: 'must be true or false' }).describe('Whether the rule applies to this call.'),
  },
  { error: 'must be a map' },
);

export const policyRuleSchema = z.strictObject(
  {
    id: filledText
      .max(100, 'must have at most 100 characters')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
      .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters')
      .describe('The name of the rule in the journal and in approvals.'),
    when: filledText.describe('The condition in CEL. The rule applies to the calls for which it is true.'),
    then: choice(policyActions).describe(
      'deny: the call is denied. ask: it needs approval. hide: tools are not listed and cannot be called.',
    ),
    reason: text
      .max(500, 'must have at most 500 characters')
      .optional()
      .describe('Shown to the person who is asked and to the caller who is denied.'),
    mode: choice(pluginModes)
      .optional()
      .describe('shadow decides nothing and only records what the rule would have decided. Default: enforce.'),
    onFailure: choice(policyFailures)
      .optional()
      .describe('What happens to a call for which the condition has no value: deny, ask or allow. Default: ask.'),
    profiles: list(profileName).optional().describe('The rule is for these profiles only; for all if left out.'),
    examples: list(exampleSchema).optional().describe('Calls with which `toolwharf policy test` tries the rule.'),
  },
  { error: 'must be a map' },
);

export const policySchema = z.strictObject(
  {
    rules: list(policyRuleSchema)
      .max(1_000, 'must have at most 1000 rules')
      .optional()
      .describe('Conditions over calls. Their order does not matter: deny beats ask.'),
  },
  { error: 'must be a map' },
);

export type PolicyExample = DeepReadonly<z.output<typeof exampleSchema>>;
export type CheckedPolicy = z.output<typeof policySchema>;
