import { ToolwharfError } from '../../../../contract/errors.ts';
import { toolOverrideRoutes as routes } from '../../../../contract/routes/tool-overrides.ts';
import type { CatalogEntry } from '../../../../toolwharf/catalog/catalog.ts';
import { toolIdOf, toolKey } from '../../../../toolwharf/kernel/tool-id.ts';
import type { AdministeredToolbox } from '../../../../toolwharf/toolbox.ts';
import { findAnyTool } from '../access.ts';
import { implement } from '../route.ts';
import { showTool } from '../show-tool.ts';

export const toolOverrideRoutes = [
  implement(routes.switchTools, {
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
  implement(routes.overrideTool, {
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
