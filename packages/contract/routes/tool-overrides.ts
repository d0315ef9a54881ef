import { z } from 'zod';
import { overrideInputSchema, switchedToolsSchema, switchInputSchema, toolSchema } from '../api/tools.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'tools';

export const toolOverrideRoutes = defineRoutes({
  switchTools: {
    method: 'post',
    path: '/api/tools/switch',
    right: 'tools.write',
    group,
    summary: 'Switches tools on or off for everyone. A tool that is switched off cannot be listed or called.',
    body: switchInputSchema,
    answer: switchedToolsSchema,
    errors: ['TOOL_NAME_INVALID'],
  },
  overrideTool: {
    method: 'put',
    path: '/api/tools/{tool}/override',
    right: 'tools.write',
    group,
    summary:
      "Sets the name, title and description that clients and models see. A member that is left out is the server's own. The pin of the tool keeps the server's definition.",
    params: z.object({ tool: z.string() }),
    body: overrideInputSchema,
    answer: toolSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'TOOL_NAME_INVALID'],
  },
});
