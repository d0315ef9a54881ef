import { z } from 'zod';
import { flowScopes, sourceKinds } from '../settings/choices.ts';

const labels = z.array(z.string()).readonly();

/** An earlier call whose labelled result the arguments of a call contain. It has no part of the result. */
export const dataSourceSchema = z.object({
  call: z.string().optional().describe('The id of the earlier call; absent if it is not known any more.'),
  server: z.string().optional().describe('The server of the earlier call; absent for a local tool.'),
  tool: z.string().optional().describe('The name that the server gives the tool of the earlier call.'),
  labels: labels.describe('The labels of its result.'),
  kind: z
    .enum(sourceKinds)
    .describe(
      '`text`, `number`: the argument contains a part of the result. `encoded`: it contains one in base64, hexadecimal digits or percent signs. `reference`: it refers to the result. `unknown`: not all of the result is known, so that any argument could contain it.',
    ),
  origins: z
    .array(z.object({ server: z.string().optional(), tool: z.string() }))
    .readonly()
    .optional()
    .describe('The tools whose results got the labels, if the earlier call only passed their data on.'),
  argument: z.string().optional().describe('JSON Pointer of the first argument that contains it.'),
  characters: z.int().optional().describe('The length of the longest part, without white space.'),
});

export type DataSource = z.output<typeof dataSourceSchema>;

/** A data flow of the policy that concerns a call. */
export const dataFlowSchema = z.object({
  id: z.string().describe('The id of the flow in the configuration.'),
  labels: labels.describe('The labels that the flow is about and the call has.'),
  within: z.enum(flowScopes).describe('Whether the arguments have the labels, or the conversation.'),
  sources: z.array(dataSourceSchema).readonly().describe('The earlier calls that brought the data.'),
});

export type DataFlow = z.output<typeof dataFlowSchema>;
