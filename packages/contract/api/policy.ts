import { z } from 'zod';
import { pluginModes, policyActions, policyFailures } from '../settings/choices.ts';
import { policyRuleSchema, policyRuleSettings, withRuleChecks } from '../settings/policy-schema.ts';
import { answer, body, isoTime, json, list, revision, revisionRead } from './named.ts';

/** What is in the place of the settings decides a call. `deny` beats `ask`. */
export const callDecisions = ['allow', 'ask', 'deny'] as const;
const decision = z.enum(callDecisions);

/** The parts of the configuration that take part in a decision. */
export const decisionSources = ['deny-list', 'ask-list', 'remembered', 'definition', 'mode', 'policy'] as const;

export const explanationSchema = answer(
  'CallExplanation',
  z.strictObject({
    decision: decision.describe('What the configuration as it is now decides for the call.'),
    lines: list(
      z.strictObject({
        source: z.enum(decisionSources),
        text: z.string().describe('The pattern, remembered rule, mode or condition, and what it says about the call.'),
        effect: z
          .enum([...policyActions, 'allow'])
          .optional()
          .describe('Absent if the line says nothing about the call.'),
        decided: z.boolean().describe('Whether the line decides the call.'),
        rule: z.string().optional().describe('The id of the rule of the policy, or of the remembered rule.'),
        shadow: z.literal(true).optional().describe('The rule only records what it would decide.'),
        values: list(z.strictObject({ name: z.string(), value: z.string().describe('As JSON, shortened.') }))
          .optional()
          .describe('What the condition reads, as the journal has it.'),
        failure: z.string().optional().describe('Why the condition has no value for the call.'),
      }),
    ),
    notes: list(z.string()).describe('What is not known about the call any more.'),
  }),
);

export const replayInputSchema = body(
  'PolicyReplayInput',
  z.strictObject({
    rules: z
      .array(policyRuleSchema)
      .max(1_000)
      .readonly()
      .describe('The rules to judge with, as in the configuration file. Stored rules with other ids judge too.'),
    since: z.iso.datetime({ offset: true }).optional().describe('Start of the period, inclusive.'),
    after: z.int().min(0).optional().describe('`next` of the page before.'),
  }),
);

const outcome = z.enum(['allowed', 'asked', 'denied']);

export const replayPageSchema = answer(
  'PolicyReplayPage',
  z.strictObject({
    flips: list(
      z.strictObject({
        id: z.string().describe('The id of the call.'),
        at: isoTime,
        server: z.string().optional(),
        tool: z.string(),
        caller: z.string().describe('The name of the caller, or its id.'),
        before: outcome.describe('What happened: without a question, after one, or not at all.'),
        after: outcome.describe('What the rules decide.'),
        person: z.enum(['allow', 'deny']).optional().describe('What a person answered.'),
        by: z.string().optional().describe('Who answered.'),
        rules: list(z.string()).describe('The ids of the rules that apply now.'),
      }),
    ).describe('The calls that the rules decide in another way, oldest first.'),
    judged: z.int().describe('The calls of this page that were judged.'),
    unknown: z
      .int()
      .describe('The calls of this page that could not be judged: the journal lacks something that a condition reads.'),
    at: z.int().describe('The number of the last journal entry that was read.'),
    head: z.int().describe('The number of the last journal entry.'),
    next: z.int().optional().describe('`after` of the next page; absent on the last one.'),
  }),
);

const shownRule = {
  id: z.string(),
  ...policyRuleSettings.pick({ when: true, reason: true, add: true, classes: true }).shape,
  then: z.enum(policyActions),
  mode: z.enum(pluginModes),
  onFailure: z.enum(policyFailures),
  profiles: list(z.string()).optional(),
  examples: list(json).describe('The examples, with durations in milliseconds.'),
  source: z.enum(['file', 'store']).describe('Where the rule is: in the configuration file, or stored over the API.'),
  readOnly: z.string().optional().describe('Why the rule cannot be changed.'),
  problem: z
    .string()
    .optional()
    .describe('Why a stored rule cannot be used. Until it is changed, `onFailure` decides about all calls.'),
  updatedAt: isoTime.optional().describe('When a stored rule was last changed.'),
  revision,
};

export const policyRuleViewSchema = answer('PolicyRule', z.strictObject(shownRule));
export type PolicyRuleView = z.input<typeof policyRuleViewSchema>;

export const newPolicyRuleSchema = body('NewPolicyRule', policyRuleSchema);

export const policyRuleInputSchema = body(
  'PolicyRuleInput',
  withRuleChecks(policyRuleSettings.extend({ revision: revisionRead })),
);

export const policyStateSchema = answer(
  'PolicyState',
  z.strictObject({
    rules: list(
      z.strictObject({
        ...shownRule,
        decided: z
          .int()
          .describe('How many of the latest calls the rule decided, or in shadow mode would have decided.'),
        failed: z.int().describe('For how many of them its condition had no value.'),
      }),
    ),
    calls: z.int().describe('The number of latest calls that were counted.'),
    variables: list(
      z.strictObject({
        name: z.string(),
        type: z.string(),
        parameters: list(z.string()).optional().describe('The names of the parameters of a function.'),
        description: z.string(),
      }),
    ).describe('The variables of conditions.'),
  }),
);

export const decisionsSchema = answer(
  'PolicyDecisions',
  z.strictObject({
    since: isoTime.describe('Start of the first interval.'),
    bucketMs: z.int().describe('The length of an interval.'),
    rules: list(
      z.strictObject({
        id: z.string().describe('The id of a rule; budgets have the prefix `budget:`.'),
        mode: z.enum(pluginModes).describe('shadow: the rule would have decided.'),
        effect: z.enum(policyActions),
        calls: list(z.int()).describe('How many calls, by interval.'),
        latest: list(z.strictObject({ id: z.string(), tool: z.string(), at: isoTime })).describe(
          'The latest of these calls, newest first.',
        ),
      }),
    ),
  }),
);

export const proposalsSchema = answer(
  'PolicyProposals',
  z.strictObject({
    days: z.int().describe('The period: so many days until now.'),
    proposals: list(
      z.strictObject({
        tool: z.string().describe('The tool, as server/tool.'),
        answers: z.int().describe('How many calls people answered, always in the same way.'),
        people: z.enum(['allow', 'deny']).describe('What they answered.'),
        argument: z.string().optional().describe('The argument that names the folder.'),
        folder: z.string().optional().describe('The folder of all these calls.'),
        rule: z
          .strictObject({
            id: z.string(),
            ...policyRuleSettings.pick({ when: true, then: true }).shape,
            mode: z.literal('shadow'),
          })
          .optional()
          .describe('The rule; absent if a setting is proposed.'),
        yaml: z.string().describe('The rule, in shadow mode, or the setting, for the configuration file.'),
      }),
    ).describe('Those with most answers first.'),
  }),
);

export const trialInputSchema = body(
  'PolicyTrialInput',
  z.strictObject({
    when: z.string().min(1).max(10_000).describe('The condition to try.'),
    call: z.string().describe('The id of a recorded call.'),
  }),
);

export const trialSchema = answer(
  'PolicyTrial',
  z.strictObject({
    applies: z.boolean().optional().describe('Absent if the condition does not compile, or has no value for the call.'),
    problem: z
      .strictObject({ message: z.string(), line: z.int(), column: z.int() })
      .optional()
      .describe('Why the condition does not compile.'),
    failure: z.string().optional().describe('Why the condition has no value for the call.'),
    values: list(z.strictObject({ name: z.string(), value: z.string() })),
  }),
);
