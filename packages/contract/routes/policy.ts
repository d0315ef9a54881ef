import { z } from 'zod';
import {
  decisionsSchema,
  explanationSchema,
  newPolicyRuleSchema,
  policyRuleInputSchema,
  policyRuleViewSchema,
  policyStateSchema,
  proposalsSchema,
  replayInputSchema,
  replayPageSchema,
  trialInputSchema,
  trialSchema,
} from '../api/policy.ts';
import { defineRoutes } from './define-routes.ts';

const shared = { right: 'admin', group: 'policy' } as const;

export const policyRoutes = defineRoutes({
  getPolicy: {
    ...shared,
    method: 'get',
    path: '/api/policy',
    summary: 'Returns the rules of the policy, with how often each decided one of the latest calls.',
    answer: policyStateSchema,
  },
  createPolicyRule: {
    ...shared,
    method: 'post',
    path: '/api/policy/rules',
    summary: 'Stores a rule. It decides at once, on all replicas.',
    body: newPolicyRuleSchema,
    answer: policyRuleViewSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
  },
  updatePolicyRule: {
    ...shared,
    method: 'put',
    path: '/api/policy/rules/{rule}',
    summary: 'Replaces a stored rule. Waiting calls are judged with the new one.',
    params: z.object({ rule: z.string() }),
    body: policyRuleInputSchema,
    answer: policyRuleViewSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
  },
  removePolicyRule: {
    ...shared,
    method: 'delete',
    path: '/api/policy/rules/{rule}',
    summary: 'Deletes a stored rule.',
    params: z.object({ rule: z.string() }),
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  countDecisions: {
    ...shared,
    method: 'get',
    path: '/api/policy/decisions',
    summary: 'Counts the calls that each rule decided, or in shadow mode would have decided, over time.',
    query: z.object({
      days: z.coerce.number().int().min(1).max(90).default(7).describe('The length of the period until now.'),
    }),
    answer: decisionsSchema,
  },
  proposeRules: {
    ...shared,
    method: 'get',
    path: '/api/policy/proposals',
    summary: 'Proposes rules in shadow mode, and settings, from what people always answered.',
    query: z.object({
      days: z.coerce.number().int().min(1).max(366).default(30).describe('The length of the period until now.'),
    }),
    answer: proposalsSchema,
  },
  explainCall: {
    ...shared,
    method: 'get',
    path: '/api/policy/calls/{call}',
    summary: 'Returns which lines of the configuration decide a recorded call, with the values that conditions read.',
    params: z.object({ call: z.string() }),
    answer: explanationSchema,
    errors: ['NOT_FOUND'],
  },
  replayPolicy: {
    ...shared,
    method: 'post',
    path: '/api/policy/replays',
    summary: 'Judges recorded calls with other rules, page by page, and returns those that are decided in another way.',
    body: replayInputSchema,
    answer: replayPageSchema,
    errors: ['CONFIG_INVALID'],
    recorded: false,
  },
  tryCondition: {
    ...shared,
    method: 'post',
    path: '/api/policy/trials',
    summary: 'Evaluates a condition for a recorded call.',
    body: trialInputSchema,
    answer: trialSchema,
    errors: ['NOT_FOUND'],
    recorded: false,
  },
});
