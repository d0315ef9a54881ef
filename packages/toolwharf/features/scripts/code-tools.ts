import { z } from 'zod';
import type { JsonObject, JsonSchema } from '../../../contract/json.ts';
import { lazy } from '../../../contract/lazy.ts';
import type { ListedServer } from '../../kernel/internal-source.ts';
import { describeSearchTools, searchToolDefinitions } from '../search/search-tools.ts';

/** The time limit of a script that names none. */
export const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 600_000;

/** The arguments of `run_code`. */
export const runCodeInput = lazy(() =>
  z.strictObject({
    code: z.string().min(1).max(262_144).describe('TypeScript. The value of the last expression is the result'),
    timeoutMs: z
      .int()
      .min(1_000)
      .max(maxTimeoutMs)
      .default(defaultTimeoutMs)
      .describe('Time limit of the script. Time in which a person is asked does not count'),
  }),
);

/** The arguments of `describe_tools` and of `describe` in scripts. */
export const describeInput = lazy(() =>
  z.strictObject({
    names: z
      .array(z.string())
      .min(1)
      .max(20)
      .describe('Names of tools, as search_tools returns them or as scripts call them'),
  }),
);

/** The name of the tool that runs scripts. */
export const runCodeName = 'run_code';

/** The definition of `run_code`. */
export const runCodeDefinition = lazy(() => ({
  name: runCodeName,
  description: [
    'Runs TypeScript that calls tools: await tools.SERVER.TOOL({ ... }).',
    'Find tools with search_tools and read their types with describe_tools first; scripts can also call search(query) and describe(names).',
    'A tool resolves with its structured result, else with its text; it rejects with a ToolError that has code and message.',
    'Use Promise.all for independent calls. Return only what you need. console.log is returned too.',
    'A reference {ref, ...} instead of a result can be passed to a tool; readResult(ref, { offset, limit, query }) reads it.',
    'There is no network, no file system and no import; sleep(ms) waits.',
  ].join(' '),
  inputSchema: z.toJSONSchema(runCodeInput(), { io: 'input' }) as JsonSchema,
}));

/** The definitions of the tools for scripts, with the servers that can be searched. */
export function describeCodeTools(servers: readonly ListedServer[]): readonly JsonObject[] {
  const search = describeSearchTools(servers).find(({ name }) => name === 'search_tools');
  return codeToolDefinitions().map((definition) =>
    definition.name === 'search_tools' && search ? search : definition,
  );
}

/** The definitions of the tools for scripts. They never change, so that clients can cache prompts that contain them. */
export const codeToolDefinitions = lazy((): readonly JsonObject[] => [
  runCodeDefinition(),
  ...searchToolDefinitions().filter(({ name }) => name === 'search_tools'),
  {
    name: 'describe_tools',
    description: 'Returns the TypeScript declarations of tools, as run_code calls them.',
    inputSchema: z.toJSONSchema(describeInput(), { io: 'input' }) as JsonObject,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
]);

const names: readonly unknown[] = [runCodeName, 'search_tools', 'describe_tools'];

export function isCodeTool(name: unknown): name is 'run_code' | 'search_tools' | 'describe_tools' {
  return names.includes(name);
}
