import { createMatcher } from '../../../contract/match-globs.ts';
import type { Expose, Exposed } from '../../../contract/settings/choices.ts';
import { exposeDefaults } from '../../../contract/settings/defaults.ts';
import type { InternalToolSource } from '../../kernel/internal-source.ts';
import type { Tool } from '../../kernel/tool.ts';
import { isCodeTool } from '../scripts/code-tools.ts';
import { isSearchTool } from '../search/search-tools.ts';
import { toDefinition } from '../search/source-tools.ts';
import { countTokens } from '../signatures/count-tokens.ts';

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
