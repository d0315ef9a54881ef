import { toToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import { createId } from '../../kernel/create-id.ts';
import type { InternalToolSource, RecordedSearch } from '../../kernel/internal-source.ts';
import type { CallOptions, Tool, ToolResult } from '../../kernel/tool.ts';
import {
  createToolSearch,
  describeSearchTools,
  isSearchTool,
  type SearchableTools,
  waitForNamed,
} from './search-tools.ts';
import {
  answerRecorded,
  createDescribedTools,
  type RunTool,
  type RunToolOptions,
  toResult,
  toSearchable,
} from './source-tools.ts';

/** Searches the tools of a source. */
export interface SourceSearch {
  /** The three tools, which are called like those of the source. */
  readonly tools: readonly Tool[];
  /** The tools that match best, at most five, or the result that says what is wrong with the arguments. */
  find(args: unknown, options?: CallOptions): Promise<readonly Tool[] | ToolResult>;
  /** Calls a tool of the source, or one of the three tools. */
  call: RunTool;
}

const maxLoaded = 5;
const searches = new WeakMap<InternalToolSource, SourceSearch>();

/** The search in a source. Its index is kept as long as the source, and follows its tools. */
export function searchSource(source: InternalToolSource): SourceSearch {
  const known = searches.get(source);
  if (known) return known;
  const search = createSourceSearch(source);
  searches.set(source, search);
  return search;
}

function createSourceSearch(source: InternalToolSource): SourceSearch {
  const toolSearch = createToolSearch({ embed: source.embed });
  let current: { readonly list: readonly Tool[]; readonly tools: SearchableTools } | undefined;

  function searchable(): SearchableTools {
    const list = source.tools;
    if (current?.list !== list) current = { list, tools: toSearchable(source) };
    return current.tools;
  }

  function search(tool: RecordedSearch['tool'], args: unknown, { caller, id, parent }: RunToolOptions = {}) {
    return answerRecorded(source, { tool, arguments: args, caller, id, parent }, async (onFound) => {
      if (tool === 'search_tools') return toolSearch.search(searchable(), args, onFound);
      // What does not arrive is unknown in the answer.
      await waitForNamed(args, isOwn, source.waitForTools).catch(() => {});
      return toolSearch.describe(searchable(), args, onFound);
    });
  }

  async function run(name: string, args: unknown, options?: RunToolOptions): Promise<ToolResult> {
    if (name === 'search_tools' || name === 'describe_tools') return search(name, args, options);
    try {
      await waitForNamed(args, isOwn, source.waitForTools);
    } catch (cause) {
      const { code, message } = toToolwharfError(cause);
      return failureResult(createId(), code, message);
    }
    const call = await toolSearch.readCall(searchable(), args);
    return 'problem' in call ? toResult(call.problem) : source.call(call.name, call.arguments, options);
  }

  const isOwn = (name: string) => searchable().byName.has(name);
  const describedTools = createDescribedTools(source, describeSearchTools, run);
  return {
    get tools() {
      return describedTools();
    },
    async find(args, options) {
      // The model gets the definitions of all results.
      const limit = isObject(args) && typeof args.limit === 'number' ? Math.min(args.limit, maxLoaded) : maxLoaded;
      const result = await search('search_tools', isObject(args) ? { ...args, limit } : args, options);
      if (result.isError) return result;
      const { tools } = result.structuredContent as { tools: readonly { readonly name: string }[] };
      const byName = new Map(source.tools.map((tool) => [tool.name, tool]));
      return tools.map(({ name }) => byName.get(name)).filter((tool) => tool !== undefined);
    },
    call: (name, args, options) =>
      isSearchTool(name) && !isOwn(name) ? run(name, args, options) : source.call(name, args, options),
  };
}
