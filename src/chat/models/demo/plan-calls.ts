import type { JsonObject } from '../../../kernel/json.ts';
import { makeArguments, needsDirectory } from './make-arguments.ts';
import { findTool, matchTool, type ShownTool } from './match-tool.ts';
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
