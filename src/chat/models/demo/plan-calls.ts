import type { JsonObject } from '../../../kernel/json.ts';
import { makeArguments, wantsDirectory } from './make-arguments.ts';
import { findTool, matchTool, type ShownTool } from './match-tool.ts';
import type { Talk, TalkCall } from './read-talk.ts';

export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** They only find out what the wished for calls need. */
  readonly prepares: boolean;
}

const maxParallel = 4;

/** What to call next for what the person said: the wishes of one stage side by side, one stage after the other. */
export function planCalls(talk: Talk, tools: readonly ShownTool[]): Plan {
  const made = talk.calls.filter(({ turn }) => turn > 0).map(({ name }) => name);
  for (const stage of stagesOf(talk.said)) {
    const open = wishesOf(stage, tools).filter(({ tool }) => {
      // By name, since a person may have changed the arguments.
      const done = made.indexOf(tool.name);
      if (done >= 0) made.splice(done, 1);
      return done < 0;
    });
    if (open.length > 0) return planStage(open, talk, tools);
  }
  return { calls: [], prepares: false };
}

interface Wish {
  wish: string;
  readonly tool: ShownTool;
}

/** A part that fits no tool belongs to the one before it: "add 20" and "22". */
function wishesOf(stage: readonly string[], tools: readonly ShownTool[]): Wish[] {
  const wishes: Wish[] = [];
  for (const wish of stage) {
    const tool = matchTool(wish, tools);
    const before = wishes.at(-1);
    if (tool) wishes.push({ wish, tool });
    else if (before) before.wish += ` and ${wish}`;
  }
  return wishes;
}

function planStage(open: readonly Wish[], talk: Talk, tools: readonly ShownTool[]): Plan {
  const directory = knownDirectory(talk.calls);
  const finder = findTool(tools, 'list_allowed_directories');
  const isBlind = (one: Wish) =>
    finder !== undefined && directory === undefined && wantsDirectory(one.tool.schema, one.wish);
  if (finder && open.some(isBlind)) {
    const wasTried = talk.calls.some(({ name, turn }) => name === finder.name && turn > 0);
    if (!wasTried) return { calls: [{ name: finder.name, input: {} }], prepares: true };
  }
  const lastFile = lastFileOf(talk.calls);
  const calls = open
    .filter((one) => !isBlind(one))
    .map(({ wish, tool }) => ({
      name: tool.name,
      input: makeArguments(tool.schema, { wish, ...(directory && { directory }), ...(lastFile && { lastFile }) }),
    }));
  return { calls: calls.slice(0, maxParallel), prepares: false };
}

/** "Do this and that, then this" is two stages, the first of two wishes. What is in quotes is not cut. */
function stagesOf(said: string): string[][] {
  const quoted: string[] = [];
  const masked = said.replace(
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

/** From the filesystem server's list of what it may touch. */
function knownDirectory(calls: readonly TalkCall[]): string | undefined {
  const answers = calls.filter(({ name, failed }) => !failed && name.endsWith('list_allowed_directories'));
  const lines = answers.flatMap(({ text }) => text.split('\n')).map((line) => line.trim());
  return lines.find((line) => /^(?:\/|[A-Za-z]:[/\\])/.test(line));
}

function lastFileOf(calls: readonly TalkCall[]): string | undefined {
  const files = calls.flatMap(({ input, failed }) => (!failed && typeof input.path === 'string' ? [input.path] : []));
  return files.findLast((path) => /\.\w{1,5}$/.test(path));
}
