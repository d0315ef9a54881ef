import { z } from 'zod';
import { answer, isoTime, list } from './named.ts';

/** The problems of a tool that the report finds. */
export const toolProblems = [
  'no-description',
  'useless-description',
  'undescribed-parameters',
  'confusable',
  'refused',
  'unused',
] as const;

export type ToolProblem = (typeof toolProblems)[number];

export const toolReportSchema = answer(
  'ToolReport',
  z.strictObject({
    since: isoTime.describe('Calls and searches since this time are counted.'),
    tokens: z.int().describe('The estimated tokens of all definitions.'),
    unusedTokens: z.int().describe('The estimated tokens of the tools that nobody called.'),
    compared: z.int().describe('The number of tools that were compared with all others, at most 5 000.'),
    searches: z
      .strictObject({
        counted: z.int().describe('Recorded searches after which their caller called a tool.'),
        found: z.int().describe('Those that find this tool among their first five results.'),
        foundWithProposals: z.int().describe('Those that would find it with the proposed descriptions.'),
      })
      .describe('The recorded searches of the latest 20 000 calls and searches.'),
    tools: list(
      z.strictObject({
        name: z.string().describe('The exposed name.'),
        server: z.string().optional().describe('Absent for local tools.'),
        originalName: z.string(),
        tokens: z.int().describe('The estimated tokens of its definition.'),
        calls: z.int().describe('Its calls in the period.'),
        problems: list(
          z.strictObject({
            kind: z.enum(toolProblems),
            text: z.string().describe('What is wrong, in a sentence.'),
            tools: list(z.string()).optional().describe('The tools that it is confused with, by their exposed names.'),
          }),
        ),
        proposal: z
          .strictObject({ description: z.string() })
          .optional()
          .describe('An override that a person can complete.'),
      }),
    ).describe('The tools with problems, those with the most tokens first.'),
  }),
);

export type ToolReport = z.input<typeof toolReportSchema>;
export type ReportedTool = ToolReport['tools'][number];
