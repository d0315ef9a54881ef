import { z } from 'zod';
import { formatToolsForProvider, providerOmitted, type ToolLike } from '../../../bridges/provider.ts';
import type { CatalogEntry } from '../../../catalog/catalog.ts';
import { findTool } from '../lookup.ts';
import { route } from '../route.ts';
import { type ToolFormats, toolFormatsSchema } from '../schemas/tool-formats.ts';

const providers = ['openai', 'anthropic', 'gemini'] as const;

export const toolFormatRoutes = [
  route({
    operationId: 'getToolFormats',
    method: 'get',
    path: '/api/tools/{tool}/formats',
    right: 'read',
    group: 'tools',
    summary: 'The definition of a tool as MCP and as the providers of models take it, under the name it is called by.',
    params: z.object({ tool: z.string() }),
    answer: toolFormatsSchema,
    errors: ['TOOL_NAME_INVALID'],
    handle: async (request, ports) => toFormats(await findTool(request.params.tool, request, ports)),
  }),
];

function toFormats({ name, definition }: CatalogEntry): ToolFormats {
  const tool: ToolLike = { ...definition, name };
  const formats = providers.map((provider) => {
    const [format] = formatToolsForProvider([tool], provider);
    return format && { [provider]: format };
  });
  const omitted = providers.flatMap((format) =>
    providerOmitted([tool], format).map(({ reason }) => ({ format, reason })),
  );
  return Object.assign({ mcp: { ...definition, name }, omitted }, ...formats);
}
