import { z } from 'zod';
import { budgetActions, budgetCounts, budgetSubjects, pluginModes } from '../settings/choices.ts';
import { answer, list } from './named.ts';

export const budgetsSchema = answer(
  'PolicyBudgets',
  z.strictObject({
    budgets: list(
      z.strictObject({
        id: z.string(),
        per: list(z.enum(budgetSubjects)).describe('Whose calls are counted together; all calls if empty.'),
        tools: list(z.string()).optional().describe('Globs over tools; all tools if absent.'),
        when: z.string().optional().describe('The condition in CEL.'),
        count: z.enum(budgetCounts).optional().describe('What is counted; absent for a budget with a sum.'),
        sum: z.string().optional().describe('The number in CEL that is summed.'),
        windowMs: z.int(),
        max: z.number(),
        then: z.enum(budgetActions),
        mode: z.enum(pluginModes),
        reason: z.string().optional(),
        uses: list(
          z.strictObject({
            subject: z
              .partialRecord(z.enum(budgetSubjects), z.string())
              .describe('Whose calls these are, by the names of `per`.'),
            used: z.number().describe('Used within the window.'),
            left: z.number(),
          }),
        ).describe('Those who used most, at most 100.'),
      }),
    ),
  }),
);
