import { programCaller } from '../../invocation/call.ts';
import type { Tool, ToolSource } from '../../kernel/tool.ts';
import type { SourceSearch } from '../search/search-source.ts';
import { createToolSearch } from '../search/search-tools.ts';
import { answerRecorded, type RunTool, toSearchable, toTool } from '../source-tools.ts';
import { codeToolDefinitions, isCodeTool } from './code-tools.ts';
import { createSearchForScripts, observeWith, type SearchForScripts } from './search-for-scripts.ts';

/** The tools for scripts over the tools of a source, and calls of both. */
export type CodeSource = Pick<SourceSearch, 'tools' | 'call'>;

const known = new WeakMap<ToolSource, CodeSource>();

/** The tools for scripts over a source that runs scripts. The index of their search is kept as long as the source. */
export function codeSource(source: ToolSource): CodeSource {
  const before = known.get(source);
  if (before) return before;
  const toolSearch = createToolSearch({ embed: source.embed });
  let current: { readonly list: readonly Tool[]; readonly search: SearchForScripts } | undefined;
  const { tools, run } = createCodeTools(
    () => {
      const list = source.tools;
      if (current?.list !== list)
        current = { list, search: createSearchForScripts(toolSearch, toSearchable(list), observeWith(source)) };
      return current.search;
    },
    (args, options) => source.runCode?.(args, options) ?? noScripts(),
    source,
  );
  const isOwn = (name: string) => source.tools.some((tool) => tool.name === name);
  const created: CodeSource = {
    tools,
    call: (name, args, options) =>
      isCodeTool(name) && !isOwn(name) ? run(name, args, options) : source.call(name, args, options),
  };
  known.set(source, created);
  return created;
}

/** The tools for scripts: `run_code`, and those that search under the names that scripts use. */
export function createCodeTools(
  search: () => SearchForScripts,
  runCode: NonNullable<ToolSource['runCode']>,
  source: Pick<ToolSource, 'recordSearch'>,
): { readonly tools: readonly Tool[]; readonly run: RunTool } {
  const run: RunTool = async (name, args, options) => {
    if (name === 'run_code') return runCode(args, options);
    const { caller, id, parent } = options ?? {};
    const tool = name === 'search_tools' ? name : 'describe_tools';
    return answerRecorded(source, { tool, arguments: args, caller, id, parent }, (onFound) =>
      tool === 'search_tools'
        ? search().search(args, onFound)
        : search().describe(args, caller?.id ?? programCaller.id, onFound),
    );
  };
  return { tools: codeToolDefinitions().map((definition) => toTool(definition, run)), run };
}

function noScripts(): never {
  throw new Error('The source does not run scripts');
}
