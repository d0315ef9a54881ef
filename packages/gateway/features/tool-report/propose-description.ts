import { isObject } from '../../../contract/json.ts';
import { splitWords } from '../../../toolwharf/features/search/split-words.ts';
import { firstSentence, type ToolDocument } from '../../../toolwharf/features/search/tool-fields.ts';
import type { Problem } from './describe-problems.ts';

const maxNamed = 6;

/** A description that a person can complete; undefined if the problems are not about what the tool is for. */
export function proposeDescription(
  tool: ToolDocument,
  problems: readonly Problem[],
  rivals: readonly ToolDocument[],
): string | undefined {
  const kinds = new Set(problems.map(({ kind }) => kind));
  const isBare = kinds.has('no-description') || kinds.has('useless-description');
  const { description = '' } = tool;
  const text = isBare ? describeByParts(tool) : description.trim();
  if (!kinds.has('confusable')) return isBare ? text : undefined;
  const difference = tellApart(tool, rivals);
  const proposed = difference === undefined ? text : `${withPeriod(text)} ${difference}`;
  return proposed === description.trim() ? undefined : proposed;
}

/** A sentence of the words of the name, the server and the parameters. */
function describeByParts({ name, server, inputSchema, serverText }: ToolDocument): string {
  const words = splitWords(name).map(({ text }) => text);
  const action = words.length > 0 ? words.join(' ') : name;
  const where = server === undefined ? '' : ` (${server})`;
  const parameters = parametersOf(inputSchema).slice(0, maxNamed);
  const takes = parameters.length > 0 ? ` Takes ${listed(parameters)}.` : '';
  const purpose = serverText ? ` ${withPeriod(firstSentence(serverText).trim())}` : '';
  return `${action.charAt(0).toUpperCase()}${action.slice(1)}${where}.${takes}${purpose}`;
}

/** What only this tool has: its server, or its parameters. */
function tellApart(tool: ToolDocument, rivals: readonly ToolDocument[]): string | undefined {
  if (tool.server !== undefined && rivals.every(({ server }) => server !== tool.server)) {
    const purpose = firstSentence(tool.serverText ?? '').trim();
    return purpose === '' ? `Only for ${tool.server}.` : `Only for ${tool.server}: ${withPeriod(purpose)}`;
  }
  const ofRivals = new Set(rivals.flatMap(({ inputSchema }) => parametersOf(inputSchema)));
  const own = parametersOf(tool.inputSchema).filter((name) => !ofRivals.has(name));
  const others = listed(rivals.map(({ name }) => name).slice(0, maxNamed));
  return own.length === 0 ? undefined : `Takes ${listed(own.slice(0, maxNamed))}, unlike ${others}.`;
}

function parametersOf(schema: unknown): readonly string[] {
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}

function withPeriod(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`;
}
