import { z } from 'zod';
import type { CatalogEntry } from '../../../catalog/catalog.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { toolIdOf, toolKey } from '../../../kernel/tool-id.ts';
import type { AdministeredToolbox } from '../../../toolbox.ts';
import { findAnyTool } from '../access.ts';
import { route } from '../route.ts';
import { overrideInputSchema, switchedToolsSchema, switchInputSchema, toolSchema } from '../schemas/tools.ts';
import { showTool } from './tools.ts';

const group = 'tools';

export const toolOverrideRoutes = [
  route({
    operationId: 'switchTools',
    method: 'post',
    path: '/api/tools/switch',
    right: 'admin',
    group,
    summary: 'Switches tools on or off for everyone. A tool that is switched off cannot be listed or called.',
    body: switchInputSchema,
    answer: switchedToolsSchema,
    errors: ['TOOL_NAME_INVALID'],
    async handle({ body: { enabled, tools } }, { toolbox: { catalog }, servers }) {
      await servers.waitForStart();
      const known = new Set([...catalog.entries, ...catalog.disabled].map((entry) => toolKey(toolIdOf(entry))));
      const changed = tools.flatMap((id) => {
        const before = catalog.overrideOf(id) ?? { ...id, enabled: true };
        if (!known.has(toolKey(id)) && !catalog.overrideOf(id)) throw noTool(toolKey(id));
        return before.enabled === enabled ? [] : [{ ...before, enabled }];
      });
      if (changed.length > 0) await catalog.override(changed);
      return { changed: changed.length };
    },
  }),
  route({
    operationId: 'overrideTool',
    method: 'put',
    path: '/api/tools/{tool}/override',
    right: 'admin',
    group,
    summary:
      "Sets the name, title and description that clients and models see. A member that is left out is the server's own. The pin of the tool keeps the server's definition.",
    params: z.object({ tool: z.string() }),
    body: overrideInputSchema,
    answer: toolSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'TOOL_NAME_INVALID'],
    access: findAnyTool,
    async handle({ body, resource }, ports) {
      const { catalog } = ports.toolbox;
      const id = toolIdOf(resource);
      const { name, title, description } = body;
      const { title: ownTitle, description: ownDescription } = resource.original ?? resource.definition;
      await catalog.override([
        {
          ...id,
          enabled: catalog.overrideOf(id)?.enabled ?? true,
          name: name === id.tool ? undefined : name,
          title: title === ownTitle ? undefined : title,
          description: description === ownDescription ? undefined : description,
        },
      ]);
      return showTool(findById(resource, ports.toolbox) ?? resource, ports);
    },
  }),
];

function findById(entry: CatalogEntry, { catalog }: AdministeredToolbox): CatalogEntry | undefined {
  const id = toolIdOf(entry);
  return catalog.find(id) ?? catalog.disabled.find((other) => toolKey(toolIdOf(other)) === toolKey(id));
}

function noTool(name: string): ToolwharfError {
  return new ToolwharfError('TOOL_NAME_INVALID', `There is no tool '${name}'`, { data: { tool: name } });
}
