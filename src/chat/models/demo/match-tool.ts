import type { JsonSchema } from '../../../kernel/json.ts';

/** A tool as shown to a model. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

// Tuned for the public filesystem server, which most people try first.
const intents: readonly { readonly pattern: RegExp; readonly tool: string }[] = [
  {
    pattern: /\b(?:which|what)\b.*\b(?:folders?|director(?:y|ies))\b|\ballowed (?:folders?|director)/i,
    tool: 'list_allowed_directories',
  },
  { pattern: /\b(?:write|save|create|make|take|add)\b.*\b(?:notes?|files?)\b/i, tool: 'write_file' },
  { pattern: /\bread\b|\b(?:open|show|print)\b.*(?:\bnotes?\b|\.\w{1,5}\b)/i, tool: 'read_text_file' },
  {
    pattern: /\b(?:list|show|which|what)\b.*\b(?:files?|notes?)\b|\bwhat(?:'s| is) (?:in|there)\b/i,
    tool: 'list_directory',
  },
];

/** The tool whose name and description share most words with the message; undefined if none matches. */
export function matchTool(request: string, tools: readonly ShownTool[]): ShownTool | undefined {
  const tokens = new Set(request.toLowerCase().split(/[^\w-]+/));
  const named = tools.find(({ name }) => tokens.has(name.toLowerCase()));
  if (named) return named;
  for (const intent of intents) {
    const tool = intent.pattern.test(request) ? findTool(tools, intent.tool) : undefined;
    if (tool) return tool;
  }
  const words = new Set(wordsOf(request));
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) })).filter(({ score }) => score >= 2);
  return scored.sort((one, other) => other.score - one.score)[0]?.tool;
}

/** Finds a tool by its original name. */
export function findTool(tools: readonly ShownTool[], name: string): ShownTool | undefined {
  return tools.find((tool) => tool.name === name || tool.name.endsWith(`_${name}`));
}

function scoreOf({ name, description }: ShownTool, words: ReadonlySet<string>): number {
  const inName = wordsOf(name).filter((word) => words.has(word)).length;
  const inText = new Set(wordsOf(description).filter((word) => words.has(word))).size;
  const isOld = /\bdeprecated\b/i.test(description);
  return inName * 2 + Math.min(inText, 3) / 2 - (isOld ? 1 : 0);
}

const common = new Set(
  'a an and are can could do does for from give have help how i in is it me my of on or please some tell that the them then there this to use what which with you your mcp tool'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (word.length > 3 ? word.replace(/(?:ing|ies|es|s|ed)$/, '') : word))
    .filter((word) => word.length > 1 && !common.has(word));
}
