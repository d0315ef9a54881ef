import { z } from 'zod';
import {
  decisionsSchema,
  explanationSchema,
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
