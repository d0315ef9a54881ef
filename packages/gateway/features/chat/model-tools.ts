import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Exposed } from '../../../contract/settings/choices.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { exposeSource } from '../../../toolwharf/features/exposure/expose-source.ts';
import { createCodeTools } from '../../../toolwharf/features/scripts/code-source.ts';
import { createSearchInEntries } from '../../../toolwharf/features/scripts/open-scripts.ts';
import { observeWith } from '../../../toolwharf/features/scripts/search-for-scripts.ts';
import { searchSource } from '../../../toolwharf/features/search/search-source.ts';
import type { RunTool } from '../../../toolwharf/features/search/source-tools.ts';
import type { ListedServer } from '../../../toolwharf/kernel/internal-source.ts';
import type { Tool } from '../../../toolwharf/kernel/tool.ts';
import { toolIdOf } from '../../../toolwharf/kernel/tool-id.ts';
import type { Skill } from '../../../toolwharf/servers/skills/toolbox-skills.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox-types.ts';
import { createModelSkills, type ModelSkills, readSkillTool } from './model-skills.ts';

/** The tools of an assistant during a model turn. */
export interface ModelTools {
  /** The tools that the assistant may call. */
  readonly all: readonly Tool[];
  /** The tools that the model is shown: all of them, those that search the others, or those that run scripts over them. */
  readonly shown: readonly Tool[];
  readonly exposed: Exposed;
  /** Answers the tools that search the others. */
  readonly search: RunTool;
  /** Undefined if the assistant has no skills. */
  readonly skills?: ModelSkills;
}

type ModelToolbox = Pick<
  InternalToolbox,
  'runsScripts' | 'observeOutput' | 'embed' | 'recordSearch' | 'listServers' | 'waitForTools'
> & {
  readonly catalog: Pick<InternalToolbox['catalog'], 'find'>;
};

/** Creates the function that decides which tools a model is shown. One index serves all turns of an answer. */
export function createModelTools(
  toolbox: ModelToolbox,
): (all: readonly Tool[], expose: Assistant['expose'], skills?: readonly Skill[]) => ModelTools {
  const { runsScripts, catalog, embed, recordSearch, waitForTools } = toolbox;
  const notHere = () => Promise.reject(new Error('calls have parts of their own'));
  /** The servers of the assistant's tools. */
  function listServers(): readonly ListedServer[] {
    const used = new Set(source.tools.map(({ server }) => server));
    return toolbox.listServers().filter(({ name }) => used.has(name));
  }
  const source = {
    ...{ tools: [] as readonly Tool[], call: notHere, embed, recordSearch, listServers, waitForTools },
    ...(runsScripts && { runCode: notHere }),
  };
  let entries: readonly CatalogEntry[] = [];
  const code = createCodeTools(
    createSearchInEntries(() => entries, { observe: observeWith(toolbox), embed, listServers }),
    notHere,
    source,
  );
  return (all, expose, offered = []) => {
    source.tools = all;
    const isTaken = all.some(({ name }) => name === readSkillTool);
    const skills = isTaken ? undefined : createModelSkills(offered);
    const ours = skills ? [skills.tool] : [];
    const { expose: exposed } = exposeSource(source, { expose });
    if (exposed === 'all') return { all, shown: [...all, ...ours], exposed, search: notHere, skills };
    if (exposed === 'code') {
      entries = all.flatMap((tool) => catalog.find(toolIdOf(tool)) ?? []);
      return { all, shown: [...code.tools, ...ours], exposed, search: code.run, skills };
    }
    const search = searchSource(source);
    return { all, shown: [...search.tools, ...ours], exposed, search: search.call, skills };
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
