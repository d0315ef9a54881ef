import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Tool } from '../kernel/tool.ts';
import { exposeSource, type SourceSearch, searchSource } from '../scale/search/search-source.ts';
import type { Skill } from '../servers/skills/toolbox-skills.ts';
import type { Assistant } from '../storage/ports/assistant-store.ts';
import { createModelSkills, type ModelSkills, readSkillTool } from './model-skills.ts';

/** The tools of an assistant during a model turn. */
export interface ModelTools {
  /** The tools that the assistant may call. */
  readonly all: readonly Tool[];
  /** The tools that the model is shown: all of them, or those that search the others. */
  readonly shown: readonly Tool[];
  /** Undefined if the model is shown all tools. */
  readonly search?: SourceSearch;
  /** Undefined if the assistant has no skills. */
  readonly skills?: ModelSkills;
}

/** Creates the function that decides which tools a model is shown. One index serves all turns of an answer. */
export function createModelTools(): (
  all: readonly Tool[],
  expose: Assistant['expose'],
  skills?: readonly Skill[],
) => ModelTools {
  const source = {
    tools: [] as readonly Tool[],
    call: () => Promise.reject(new Error('calls have parts of their own')),
  };
  return (all, expose, offered = []) => {
    source.tools = all;
    const isTaken = all.some(({ name }) => name === readSkillTool);
    const skills = isTaken ? undefined : createModelSkills(offered);
    const ours = skills ? [skills.tool] : [];
    if (exposeSource(source, { expose }).expose === 'all') return { all, shown: [...all, ...ours], skills };
    const search = searchSource(source);
    return { all, shown: [...search.tools, ...ours], search, skills };
  };
}

/** The name of the tool through which a model calls those that it found. */
export const callTool = 'call_tool';

/** The tool and arguments of a call through `call_tool`; undefined if there is no such tool. */
export function readCalledTool(
  { name, arguments: args = {} }: JsonObject,
  tools: readonly Tool[],
): { readonly tool: Tool; readonly args: JsonObject } | undefined {
  const tool = tools.find((candidate) => candidate.name === name);
  return tool && isObject(args) ? { tool, args } : undefined;
}
