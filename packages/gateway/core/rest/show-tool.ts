import type { ToolView } from '../../../contract/api/tools.ts';
import { toolAppOf } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { toolIdOf } from '../../../toolwharf/kernel/tool-id.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox-types.ts';
import { findRejections } from './rejected-changes.ts';

/** A tool as the API shows it. */
export async function showTool(
  tool: CatalogEntry,
  { toolbox }: { readonly toolbox: Pick<AdministeredToolbox, 'catalog' | 'approvals'> },
): Promise<ToolView> {
  const { name, originalName, server, definition, definitionHash, ...entry } = tool;
  const { title, description = '', inputSchema, outputSchema, annotations } = definition;
  const { limits, changed, isNew, changes, original } = entry;
  const { enabled, name: alias, title: newTitle, description: text } = toolbox.catalog.overrideOf(toolIdOf(tool)) ?? {};
  const isOverridden = [alias, newTitle, text].some((value) => value !== undefined);
  const warnings = toolbox.catalog.warnings(name);
  const isRejected = (changed !== undefined || isNew) && (await findRejections(tool, toolbox)).length > 0;
  return {
    name,
    title,
    description,
    server,
    originalName,
    parameters: inputSchema,
    outputSchema,
    annotations,
    app: showApp(definition),
    definitionHash,
    limits,
    changed,
    isNew,
    changes,
    rejected: isRejected || undefined,
    disabled: enabled === false || undefined,
    override: isOverridden ? { name: alias, title: newTitle, description: text } : undefined,
    original: original && { title: original.title, description: original.description },
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

function showApp(definition: CatalogEntry['definition']): ToolView['app'] {
  const { resourceUri: uri, isForModel } = toolAppOf(definition);
  return uri === undefined && isForModel ? undefined : { uri, only: !isForModel || undefined };
}
