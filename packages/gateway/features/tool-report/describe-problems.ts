import type { ReportedTool } from '../../../contract/api/tool-report.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { formatToolsForProvider, providerOmitted, type ToolLike } from '../../../toolwharf/bridges/provider.ts';
import { splitWords } from '../../../toolwharf/features/search/split-words.ts';
import type { ToolDocument } from '../../../toolwharf/features/search/tool-fields.ts';

export type Problem = ReportedTool['problems'][number];

/** A description with fewer words beyond those of the tool's name tells a model nothing that the name does not. */
const minOwnWords = 2;
const providers = ['openai', 'anthropic', 'gemini'] as const;
const maxListed = 5;

/** The problems of a definition by itself. */
export function describeProblems(tool: ToolDocument, definition: JsonObject): readonly Problem[] {
  return [...ofDescription(tool), ...ofParameters(definition), ...ofProviders(tool.id, definition)];
}

function ofDescription({ name, description = '' }: ToolDocument): readonly Problem[] {
  if (description.trim() === '') return [{ kind: 'no-description', text: 'The tool has no description.' }];
  const ofName = new Set(splitWords(name).map(({ term }) => term));
  const own = new Set(splitWords(description).flatMap(({ term }) => (ofName.has(term) ? [] : [term])));
  if (own.size >= minOwnWords) return [];
  return [{ kind: 'useless-description', text: 'The description says little more than the name.' }];
}

function ofParameters({ inputSchema }: JsonObject): readonly Problem[] {
  const parameters = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {};
  const bare = Object.entries(parameters).flatMap(([name, schema]) => (isDescribed(schema) ? [] : [name]));
  if (bare.length === 0) return [];
  const shown = bare.length > maxListed ? `${bare.slice(0, maxListed).join(', ')} and others` : bare.join(', ');
  return [{ kind: 'undescribed-parameters', text: `Without a description: ${shown}.` }];
}

/** A schema behind a reference may have a description, and a choice or a constant explains itself. */
function isDescribed(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { description, title, enum: choices, const: only, $ref } = schema;
  return [description, title, choices, only, $ref].some((part) => part !== undefined && part !== '');
}

function ofProviders(name: string, definition: JsonObject): readonly Problem[] {
  const tool = { ...definition, name } as ToolLike;
  return providers.flatMap((provider): Problem[] => {
    if (formatToolsForProvider([tool], provider).length > 0) return [];
    const [omitted] = providerOmitted([tool], provider);
    return omitted
      ? [{ kind: 'refused', text: `Cannot be offered in the format of ${provider}: ${omitted.reason}` }]
      : [];
  });
}
