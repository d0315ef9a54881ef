import { isForModels } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { OpenedScripts, ScriptRun, ScriptToolbox } from '../../invocation/run-steps.ts';
import type { Embed } from '../../kernel/embed.ts';
import { messageOf } from '../../kernel/errors.ts';
import { readResult } from '../references/read-result.ts';
import { createToolSearch, type SearchableTools } from '../search/search-tools.ts';
import { runCodeEntry } from './code-tools.ts';
import { createObserver } from './create-observer.ts';
import { createSandboxPool } from './process/sandbox-pool.ts';
import type { Settlement } from './sandbox/protocol.ts';
import { createScriptRunner } from './script-runner.ts';
import type { AnswerStep } from './script-steps.ts';
import {
  answerScript,
  createSearchForScripts,
  type ObserveOutput,
  problem,
  type SearchForScripts,
} from './search-for-scripts.ts';
import { toSettlement } from './settlement.ts';

export interface OpenScriptsOptions {
  /** The search in the tools of a profile. By default, a script that searches gets an index of its own. */
  readonly searchFor?: (profile: string) => Promise<SearchForScripts>;
}

/** Runs the scripts of a toolbox, each in a process of its own. */
export function openScripts(toolbox: ScriptToolbox, { searchFor }: OpenScriptsOptions = {}): OpenedScripts {
  const limits = () => toolbox.config().gateway.limits;
  const entries = () => toolbox.catalog.entries;
  const sandboxes = createSandboxPool({ maxProcesses: () => limits().maxScripts });

  function createAnswer({
    call,
    mayUse,
    recordSearch,
  }: Pick<ScriptRun, 'call' | 'mayUse' | 'recordSearch'>): AnswerStep {
    const { profile, caller } = call;
    const searchOwn = createSearchInEntries(entries, { mayUse, embed: toolbox.embed });
    const read = (args: unknown) => readResult(args, caller.id, toolbox.results.find);
    const findSearch = async () => (profile !== undefined && searchFor ? searchFor(profile) : searchOwn());
    return async (question, time, step) => {
      const { kind, args } = question;
      if (!step || (kind !== 'search' && kind !== 'describe'))
        return { ok: true, value: await answerScript({ ...(await findSearch()), read }, question), time };
      const tool = kind === 'search' ? 'search_tools' : 'describe_tools';
      const record = await recordSearch({ tool, arguments: args, step }, async () => {
        try {
          return await (await findSearch())[kind](args);
        } catch (cause) {
          // The script gets the recorded error, so that a replay gets the same one.
          return problem(messageOf(cause));
        }
      });
      return toSettlement(record) as Settlement;
    };
  }

  const runner = createScriptRunner({
    maxScriptsPerCaller: () => limits().maxScriptsPerCaller,
    openSandbox: sandboxes.open,
    journal: toolbox.journal,
    entries,
    createAnswer,
  });
  return {
    run: runner.run,
    toolFor: runCodeEntry,
    observe: createObserver(toolbox),
    [Symbol.asyncDispose]: () => sandboxes[Symbol.asyncDispose](),
  };
}

export interface SearchEntriesOptions {
  /** Which entries are found; all by default. */
  readonly mayUse?: (entry: CatalogEntry) => boolean;
  readonly observe?: ObserveOutput;
  readonly embed?: Embed;
}

/** Searches entries. The index follows the entries when they change. */
export function createSearchInEntries(
  entries: () => readonly CatalogEntry[],
  { mayUse = () => true, observe, embed }: SearchEntriesOptions = {},
): () => SearchForScripts {
  const toolSearch = createToolSearch({ embed });
  let current: { readonly from: readonly CatalogEntry[]; readonly search: SearchForScripts } | undefined;
  return () => {
    const from = entries();
    if (current?.from !== from)
      current = {
        from,
        search: createSearchForScripts(
          toolSearch,
          toSearchable(from.filter((entry) => isForModels(entry) && mayUse(entry))),
          observe,
        ),
      };
    return current.search;
  };
}

function toSearchable(entries: readonly CatalogEntry[]): SearchableTools {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    byName,
    define(name) {
      const entry = byName.get(name);
      return entry && { ...entry.definition, name };
    },
    describeServer: () => undefined,
  };
}
