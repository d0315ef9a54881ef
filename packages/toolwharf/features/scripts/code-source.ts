import { programCaller } from '../../invocation/call.ts';
import type { InternalToolSource } from '../../kernel/internal-source.ts';
import type { Tool } from '../../kernel/tool.ts';
import type { SourceSearch } from '../search/search-source.ts';
import { createToolSearch, waitForNamed } from '../search/search-tools.ts';
import { answerRecorded, createDescribedTools, type RunTool, toSearchable } from '../search/source-tools.ts';
import { describeCodeTools, isCodeTool } from './code-tools.ts';
import { createSearchForScripts, observeWith, type SearchForScripts } from './search-for-scripts.ts';

/** The tools for scripts over the tools of a source, and calls of both. */
export type CodeSource = Pick<SourceSearch, 'tools' | 'call'>;

const known = new WeakMap<InternalToolSource, CodeSource>();

/** The tools for scripts over a source that runs scripts. The index of their search is kept as long as the source. */
export function codeSource(source: InternalToolSource): CodeSource {
  const before = known.get(source);
  if (before) return before;
  const toolSearch = createToolSearch({ embed: source.embed });
  let current: { readonly list: readonly Tool[]; readonly search: SearchForScripts } | undefined;
  const code = createCodeTools(
    () => {
      const list = source.tools;
      if (current?.list !== list)
        current = { list, search: createSearchForScripts(toolSearch, toSearchable(source), observeWith(source)) };
      return current.search;
    },
    (args, options) => source.runCode?.(args, options) ?? noScripts(),
    source,
  );
  const isOwn = (name: string) => source.tools.some((tool) => tool.name === name);
  const created: CodeSource = {
    get tools() {
      return code.tools;
    },
    call: (name, args, options) =>
      isCodeTool(name) && !isOwn(name) ? code.run(name, args, options) : source.call(name, args, options),
  };
  known.set(source, created);
  return created;
}

/** The tools for scripts: `run_code`, and those that search under the names that scripts use. */
export function createCodeTools(
  search: () => SearchForScripts,
  runCode: NonNullable<InternalToolSource['runCode']>,
  source: Pick<InternalToolSource, 'tools' | 'recordSearch' | 'listServers' | 'waitForTools'>,
): { readonly tools: readonly Tool[]; readonly run: RunTool } {
  const run: RunTool = async (name, args, options) => {
    if (name === 'run_code') return runCode(args, options);
    const { caller, id, parent } = options ?? {};
    const tool = name === 'search_tools' ? name : 'describe_tools';
    return answerRecorded(source, { tool, arguments: args, caller, id, parent }, async (onFound) => {
      if (tool === 'search_tools') return search().search(args, onFound);
      // What does not arrive is unknown in the answer.
      await waitForNamed(args, search().knows, source.waitForTools).catch(() => {});
      return search().describe(args, caller?.id ?? programCaller.id, onFound);
    });
  };
  const describedTools = createDescribedTools(source, describeCodeTools, run);
  return {
    get tools() {
      return describedTools();
    },
    run,
  };
}

function noScripts(): never {
  throw new Error('The source does not run scripts');
}
