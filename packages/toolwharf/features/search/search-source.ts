import { toToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { createMatcher } from '../../../contract/match-globs.ts';
import type { Expose, Exposed } from '../../../contract/settings/choices.ts';
import { exposeDefaults } from '../../../contract/settings/defaults.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import { createId } from '../../kernel/create-id.ts';
import type { InternalToolSource, RecordedSearch } from '../../kernel/internal-source.ts';
import type { CallOptions, Tool, ToolResult } from '../../kernel/tool.ts';
import { countTokens } from '../exposure/count-tokens.ts';
import {
  answerRecorded,
  createDescribedTools,
  type RunTool,
  type RunToolOptions,
  toDefinition,
  toResult,
  toSearchable,
} from '../exposure/source-tools.ts';
import { isCodeTool } from '../scripts/code-tools.ts';
import {
  createToolSearch,
  describeSearchTools,
  isSearchTool,
  type SearchableTools,
  waitForNamed,
} from './search-tools.ts';

/** How a model is offered the tools of a source. */
export interface ExposeOptions {
  /**
   * `all` lists every tool, `search` lists tools with which the model finds and calls the others, `code` lists tools with which
   * it runs scripts over the others, `auto` chooses `search` if the definitions exceed `exposeBudget`. Where scripts cannot run,
   * `code` is `search`. Default: `all`.
   */
  readonly expose?: Expose;
  /** The tokens that `auto` accepts for the definitions, estimated. Default: 10 000. */
  readonly exposeBudget?: number;
  /** Patterns of tools that `search` and `code` list too, such as `github/create_*`. */
  readonly alwaysList?: readonly string[];
}

/** The tools of a source that a model is offered. */
export interface ExposedTools {
  readonly expose: Exposed;
  /** With `search` and `code`, only the tools that are always listed. */
  readonly tools: readonly Tool[];
}

/** Decides which tools of a source a model is offered. A source with a tool that is named like one of ours lists all. */
export function exposeSource(source: InternalToolSource, options: ExposeOptions = {}): ExposedTools {
  const { expose = exposeDefaults.expose, exposeBudget = exposeDefaults.exposeBudget, alwaysList = [] } = options;
  const { tools } = source;
  const byLength = () => (tokensOf(tools) > exposeBudget ? 'search' : 'all');
  const chosen = expose === 'auto' ? byLength() : expose === 'code' && !source.runCode ? 'search' : expose;
  const isOurs = chosen === 'code' ? isCodeTool : isSearchTool;
  if (chosen === 'all' || tools.some(({ name }) => isOurs(name))) return { expose: 'all', tools };
  const isAlwaysListed = createMatcher(alwaysList);
  const always = tools.filter(({ server = 'local', originalName }) => isAlwaysListed(`${server}/${originalName}`));
  return { expose: chosen, tools: always };
}

const tokensByList = new WeakMap<readonly Tool[], number>();

/** The estimated tokens of the definitions of these tools. */
function tokensOf(tools: readonly Tool[]): number {
  const known = tokensByList.get(tools);
  if (known !== undefined) return known;
  const tokens = tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(toDefinition(tool))), 0);
  tokensByList.set(tools, tokens);
  return tokens;
}

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
