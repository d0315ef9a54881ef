import type { JsonObject, JsonSchema } from '../../../../../contract/json.ts';
import { makeArguments, needsDirectory } from './make-arguments.ts';
import type { Dialog, DialogCall } from './read-dialog.ts';

export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** True if the calls only prepare the requested ones. */
  readonly prepares: boolean;
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

const commonWords = new Set(
  'a an and are can could do does for from give have help how i in is it me my of on or please some tell that the them then there this to use what which with you your mcp tool'.split(
    ' ',
  ),
);

const maxParallel = 4;

/** The next calls for the user's message: the requests of one stage concurrently, one stage after the other. */
export function planCalls(dialog: Dialog, tools: readonly ShownTool[]): Plan {
  const made = dialog.calls.filter(({ turn }) => turn > 0).map(({ name }) => name);
  for (const stage of stagesOf(dialog.userMessage)) {
    const open = requestsOf(stage, tools).filter(({ tool }) => {
      // Compared by name, because an approval may have edited the arguments.
      const done = made.indexOf(tool.name);
      if (done >= 0) made.splice(done, 1);
      return done < 0;
    });
    if (open.length > 0) return planStage(open, dialog, tools);
  }
  return { calls: [], prepares: false };
}

/** A tool as shown to a model. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Finds a tool by its original name. */
export function findTool(tools: readonly ShownTool[], name: string): ShownTool | undefined {
  return tools.find((tool) => tool.name === name || tool.name.endsWith(`_${name}`));
}

interface ToolRequest {
  request: string;
  readonly tool: ShownTool;
}

/** A part that matches no tool is added to the previous one: "add 20" and "22". */
function requestsOf(stage: readonly string[], tools: readonly ShownTool[]): ToolRequest[] {
  const requests: ToolRequest[] = [];
  for (const request of stage) {
    const tool = matchTool(request, tools);
    const before = requests.at(-1);
    if (tool) requests.push({ request, tool });
    else if (before) before.request += ` and ${request}`;
  }
  return requests;
}

function planStage(open: readonly ToolRequest[], dialog: Dialog, tools: readonly ShownTool[]): Plan {
  const directory = knownDirectory(dialog.calls);
  const finder = findTool(tools, 'list_allowed_directories');
  const isBlind = (one: ToolRequest) =>
    finder !== undefined && directory === undefined && needsDirectory(one.tool.schema, one.request);
  if (finder && open.some(isBlind)) {
    const wasTried = dialog.calls.some(({ name, turn }) => name === finder.name && turn > 0);
    if (!wasTried) return { calls: [{ name: finder.name, input: {} }], prepares: true };
  }
  const lastFile = lastFileOf(dialog.calls);
  const calls = open
    .filter((one) => !isBlind(one))
    .map(({ request, tool }) => ({
      name: tool.name,
      input: makeArguments(tool.schema, { request, directory, lastFile }),
    }));
  return { calls: calls.slice(0, maxParallel), prepares: false };
}

/** Splits "do this and that, then this" into two stages, the first with two requests. Quoted text is not split. */
function stagesOf(userMessage: string): string[][] {
  const quoted: string[] = [];
  const masked = userMessage.replace(
    /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`/g,
    (text) => `\uE000${quoted.push(text) - 1}\uE000`,
  );
  const unmask = (text: string) => text.replace(/\uE000(\d+)\uE000/g, (_, index) => quoted[Number(index)] ?? '').trim();
  return masked.split(/[,;.]?\s+(?:and\s+)?then\s+|;|\n+|[.!?]\s+(?=\p{Lu})/u).map((stage) =>
    stage
      .split(/,?\s+and\s+(?:also\s+)?/)
      .map(unmask)
      .filter(Boolean),
  );
}

/** The first directory in the filesystem server's list of allowed directories. */
function knownDirectory(calls: readonly DialogCall[]): string | undefined {
  const answers = calls.filter(({ name, failed }) => !failed && name.endsWith('list_allowed_directories'));
  const lines = answers.flatMap(({ text }) => text.split('\n')).map((line) => line.trim());
  return lines.find((line) => /^(?:\/|[A-Za-z]:[/\\])/.test(line));
}

function lastFileOf(calls: readonly DialogCall[]): string | undefined {
  const files = calls.flatMap(({ input, failed }) => (!failed && typeof input.path === 'string' ? [input.path] : []));
  return files.findLast((path) => /\.\w{1,5}$/.test(path));
}

/** The tool whose name and description share most words with the message; undefined if none matches. */
function matchTool(request: string, tools: readonly ShownTool[]): ShownTool | undefined {
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

function scoreOf({ name, description }: ShownTool, words: ReadonlySet<string>): number {
  const inName = wordsOf(name).filter((word) => words.has(word)).length;
  const inText = new Set(wordsOf(description).filter((word) => words.has(word))).size;
  const isOld = /\bdeprecated\b/i.test(description);
  return inName * 2 + Math.min(inText, 3) / 2 - (isOld ? 1 : 0);
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (word.length > 3 ? word.replace(/(?:ing|ies|es|s|ed)$/, '') : word))
    .filter((word) => word.length > 1 && !commonWords.has(word));
}
