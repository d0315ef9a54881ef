import { z } from 'zod';
import { callerKinds } from '../calls.ts';
import type { DeepReadonly } from '../json.ts';
import {
  budgetActions,
  budgetCounts,
  budgetSubjects,
  flowActions,
  flowScopes,
  labelTargets,
  pluginModes,
  policyActions,
  policyFailures,
  redactionClasses,
} from './choices.ts';
import { durationText } from './durations.ts';
import { choice, duration, filledText, glob, globs, list, profileName, text } from './schema-parts.ts';

/** How long a conversation keeps its labels. */
export const labelsExpireMs = 7 * 86_400_000;

const anyMap = z.record(z.string(), z.unknown(), { error: 'must be a map' });

function members<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: 'must be a map' }).partial();
}

const parentSchema = members({
  kind: z.enum(['call', 'answer']).describe('call: a chain or script. answer: an assistant.'),
  server: text.describe('The server of that call.'),
  tool: text.describe('The name that its server gives the tool of that call.'),
});

const exampleCallSchema = members({
  server: text.describe('The name of the server.'),
  tool: text.describe('The name that the server gives the tool.'),
  name: text.describe('The exposed name of the tool. Default: tool.'),
  args: anyMap.describe('The arguments.'),
  annotations: anyMap.describe('The annotations of the tool.'),
  parent: parentSchema.describe('What made the call.'),
});

const exampleCallerSchema = members({
  id: text.describe('The id of the caller.'),
  kind: choice(callerKinds).describe('The kind of caller.'),
  name: text.describe('The name of the caller.'),
});

const examplePersonSchema = members({
  name: text.describe('The name of the person.'),
  groups: list(text).describe('The groups of the person.'),
  roles: list(text).describe('The roles of the person.'),
});

const exampleClientSchema = members({
  name: text.describe('What the client program calls itself.'),
  version: text.describe('The version of the client program.'),
});

const dayMs = 86_400_000;

const pastCallSchema = z.strictObject(
  {
    server: text.optional().describe('The name of the server.'),
    tool: filledText.describe('The name that the server gives the tool.'),
    args: anyMap.optional().describe('The arguments.'),
    ago: duration(0, 366 * dayMs).describe('How long before this call, such as 2h.'),
  },
  { error: 'must be a map' },
);

/** A call that a rule is tried with by `toolwharf policy test`. What it leaves out is empty. */
const exampleSchema = z.strictObject(
  {
    call: exampleCallSchema.optional().describe('The call. What it does not have is empty.'),
    caller: exampleCallerSchema.optional().describe('Who calls.'),
    person: examplePersonSchema.optional().describe('The person behind the caller.'),
    client: exampleClientSchema.optional().describe('The program that calls.'),
    profile: text.optional().describe('The name of the profile.'),
    history: list(pastCallSchema).optional().describe('The earlier calls of the person or caller. Default: none.'),
    now: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
      .optional()
      .describe('The time of the call, such as 2026-01-31T08:00:00Z. Default: the present.'),
    applies: z.boolean({ error: 'must be true or false' }).describe('Whether the rule applies to this call.'),
  },
  { error: 'must be a map' },
);

const ruleId = filledText
  .max(100, 'must have at most 100 characters')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters');

const ruleReason = text.max(500, 'must have at most 500 characters');

const labelSchema = z.strictObject(
  {
    on: choice(labelTargets)
      .optional()
      .describe('server, tool: all results of these get the label. result: single results. Default: result.'),
    match: globs
      .optional()
      .describe('Globs over the names of servers, or over SERVER/TOOL: only their results get the label.'),
    when: filledText
      .optional()
      .describe(
        'A condition in CEL, which for single results also knows `result`. Without a value, the label is added.',
      ),
    add: ruleId.describe('The label: private, untrusted, secret, or a word of your own.'),
  },
  { error: 'must be a map' },
);

const flowSchema = z.strictObject(
  {
    id: ruleId
      .optional()
      .describe('The name of the flow in the journal and in approvals. Default: flow-1, by position.'),
    from: list(ruleId).min(1, 'must name a label').describe('The labels. The flow is about calls with one of them.'),
    to: filledText.describe('A condition in CEL: the calls that data with these labels must not reach.'),
    then: choice(flowActions).describe('deny: the call is denied. ask: it needs approval.'),
    within: choice(flowScopes)
      .optional()
      .describe(
        'arguments: the arguments contain labelled data. conversation: labelled data has entered the conversation. Default: arguments.',
      ),
    reason: ruleReason.optional().describe('Shown to the person who is asked and to the caller who is denied.'),
    mode: choice(pluginModes)
      .optional()
      .describe('shadow decides nothing and only records what the flow would have decided. Default: enforce.'),
    onFailure: choice(policyFailures)
      .optional()
      .describe('What happens to a call for which the condition has no value: deny, ask or allow. Default: ask.'),
    profiles: list(profileName).optional().describe('The flow is for these profiles only; for all if left out.'),
  },
  { error: 'must be a map' },
);

const policyRuleObject = z.strictObject(
  {
    id: ruleId.describe('The name of the rule in the journal and in approvals.'),
    when: filledText.describe('The condition in CEL. The rule applies to the calls for which it is true.'),
    then: choice(policyActions).describe(
      'deny: the call is denied. ask: it needs approval. hide: tools are not listed and cannot be called. label: the call and its result get a label. redact: values in arguments and results are masked.',
    ),
    add: ruleId.optional().describe('For label: the label, such as private.'),
    classes: list(choice(redactionClasses))
      .min(1, 'must name a class')
      .optional()
      .describe('For redact: the classes of values that are masked. Default: all.'),
    reason: ruleReason.optional().describe('Shown to the person who is asked and to the caller who is denied.'),
    mode: choice(pluginModes)
      .optional()
      .describe('shadow decides nothing and only records what the rule would have decided. Default: enforce.')
      .meta({ default: 'enforce' }),
    onFailure: choice(policyFailures)
      .optional()
      .describe('What happens to a call for which the condition has no value: deny, ask or allow. Default: ask.')
      .meta({ default: 'ask' }),
    profiles: list(profileName).optional().describe('The rule is for these profiles only; for all if left out.'),
    examples: list(exampleSchema).optional().describe('Calls with which `toolwharf policy test` tries the rule.'),
  },
  { error: 'must be a map' },
);

/** The settings of a rule without its id, as the API takes them. */
export const policyRuleSettings = policyRuleObject.omit({ id: true });

/** Adds what the settings of a rule must have together. */
export function withRuleChecks<
  Schema extends z.ZodType<Pick<z.output<typeof policyRuleObject>, 'then' | 'add' | 'classes'>>,
>(schema: Schema): Schema {
  return schema
    .refine(({ then, add }) => (then === 'label') === (add !== undefined), {
      error: "a rule with 'then: label' needs the label as 'add', and no other rule has it",
      path: ['add'],
    })
    .refine(({ then, classes }) => then === 'redact' || classes === undefined, {
      error: "only a rule with 'then: redact' has classes",
      path: ['classes'],
    });
}

export const policyRuleSchema = withRuleChecks(policyRuleObject);

/** The largest amount whose millionths fit into 64 bits. */
const maxAmount = 9_000_000_000_000;
const amountRule = 'must be a number from 0 to 9000000000000 with at most 6 decimals';

export const budgetSchema = z
  .strictObject(
    {
      // Journal and approvals put `budgetPrefix` in front of it.
      id: ruleId.max(90, 'must have at most 90 characters').describe('The name of the budget.'),
      per: z
        .union([choice(budgetSubjects), list(choice(budgetSubjects))], { error: 'must be a name or a list of names' })
        .optional()
        .describe(
          'Whose calls are counted together: those of a person, key, caller, profile, tool, or combination. Default: all calls.',
        ),
      tool: z
        .union([glob, globs], { error: 'must be a glob or a list of globs' })
        .optional()
        .describe('Globs over server/tool; the budget is for these tools only.'),
      when: filledText.optional().describe('A condition in CEL; the budget is for calls for which it is true.'),
      count: choice(budgetCounts)
        .optional()
        .describe('calls, bytes of results, or seconds that scripts run. Default: calls, unless there is a sum.'),
      sum: filledText.optional().describe('A number in CEL that is summed, such as call.args.amount.'),
      window: duration(1_000, 366 * dayMs).describe('The length of the sliding window.'),
      max: z
        .number({ error: amountRule })
        .min(0, amountRule)
        .max(maxAmount, amountRule)
        .refine((value) => /^\d+(\.\d{1,6})?$/.test(`${value}`) || /^[1-9]e-6$/.test(`${value}`), amountRule)
        .describe('How much may be used within the window.'),
      then: choice(budgetActions).describe('deny: a call that exceeds the budget is denied. ask: it needs approval.'),
      mode: choice(pluginModes)
        .optional()
        .describe('shadow counts, and only records what the budget would have decided. Default: enforce.'),
      reason: ruleReason.optional().describe('Shown to the person who is asked and to the caller who is denied.'),
    },
    { error: 'must be a map' },
  )
  .refine(({ count, sum }) => count === undefined || sum === undefined, {
    error: 'a budget has either count or sum',
    path: ['sum'],
  });

export const policySchema = z.strictObject(
  {
    rules: list(policyRuleSchema)
      .max(1_000, 'must have at most 1000 rules')
      .optional()
      .describe('Conditions over calls. Their order does not matter: deny beats ask.'),
    budgets: list(budgetSchema)
      .max(100, 'must have at most 100 budgets')
      .optional()
      .describe(
        'How many calls, sums of their arguments, bytes of results and seconds of scripts are allowed in a time.',
      ),
    labels: list(labelSchema)
      .max(1_000, 'must have at most 1000 labels')
      .optional()
      .describe('Which results are private, untrusted, or something else.'),
    flows: list(flowSchema)
      .max(1_000, 'must have at most 1000 flows')
      .optional()
      .describe('Where labelled data must not go without a question, or at all.'),
    labelsExpire: duration(60_000)
      .optional()
      .describe(
        `How long after its last labelled result a conversation keeps its labels. Default: ${durationText(labelsExpireMs)}.`,
      ),
  },
  { error: 'must be a map' },
);

export type PolicyExample = DeepReadonly<z.output<typeof exampleSchema>>;
export type CheckedPolicy = z.output<typeof policySchema>;
export type CheckedPolicyRule = NonNullable<CheckedPolicy['rules']>[number];
