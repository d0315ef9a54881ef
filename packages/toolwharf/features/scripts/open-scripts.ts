import { messageOf } from '../../../contract/errors.ts';
import { isForModels } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { programCaller } from '../../invocation/call.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import { valueOfResult } from '../../invocation/references.ts';
import type { OpenedScripts, ScriptRun, ScriptToolbox } from '../../invocation/run-steps.ts';
import { recordedResult } from '../../invocation/shape-result.ts';
import type { Embed } from '../../kernel/embed.ts';
import type { InternalToolSource, ListedServer } from '../../kernel/internal-source.ts';
import { readResult } from '../references/read-result.ts';
import { createToolSearch, type SearchableTools, waitForNamed } from '../search/search-tools.ts';
import { observeOutput } from '../signatures/observe-output.ts';
import { createSandboxPool } from './process/sandbox-pool.ts';
import { runCodeEntry } from './run-code-entry.ts';
import type { Settlement } from './sandbox/protocol.ts';
import { createScriptRunner } from './script-runner.ts';
import { type AnswerStep, toSettlement } from './script-steps.ts';
import {
  answerScript,
  createSearchForScripts,
  type ObserveOutput,
  problem,
  type SearchForScripts,
} from './search-for-scripts.ts';

export interface OpenScriptsOptions {
  /** The search in the tools of a profile. By default, a script that searches gets an index of its own. */
  readonly searchFor?: (profile: string) => Promise<SearchForScripts>;
}

const maxResults = 20;
const maxReported = 1_000;

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
          const search = await findSearch();
          const hasWaited = await waitForNamed(args, search.knows, toolbox.waitForTools).catch(() => false);
          return await (hasWaited ? await findSearch() : search)[kind](args);
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
    waitForTools: toolbox.waitForTools,
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
  readonly listServers?: InternalToolSource['listServers'];
}

/** Searches entries. The index follows the entries when they change. */
export function createSearchInEntries(
  entries: () => readonly CatalogEntry[],
  { mayUse = () => true, observe, embed, listServers }: SearchEntriesOptions = {},
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
          toSearchable(
            from.filter((entry) => isForModels(entry) && mayUse(entry)),
            listServers?.(),
          ),
          observe,
        ),
      };
    return current.search;
  };
}

function toSearchable(entries: readonly CatalogEntry[], servers: readonly ListedServer[] = []): SearchableTools {
  const purposes = new Map(servers.map(({ name, purpose }) => [name, purpose]));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return {
    byName,
    define(name) {
      const entry = byName.get(name);
      return entry && { ...entry.definition, name };
    },
    describeServer: (server) => purposes.get(server),
  };
}

/**
 * Creates the function that learns the outputs of tools from the results in the journal: from those of the accepted definition, and
 * only from those that the same caller got. A change is logged once.
 */
function createObserver({ catalog, journal, results, log }: ScriptToolbox): OpenedScripts['observe'] {
  const reported = new Set<string>();

  function reportDrift({ name, server, definitionHash }: CatalogEntry, drift: readonly string[]): void {
    const key = JSON.stringify([name, definitionHash, drift]);
    if (drift.length === 0 || reported.has(key)) return;
    if (reported.size >= maxReported) reported.clear();
    reported.add(key);
    const message = `The latest result of ${name} differs from those before, although its definition is the same: ${drift.join(', ')}`;
    log.warning('tool.output-changed', message, { tool: name, server });
  }

  return async (tool, caller = programCaller.id) => {
    const entry = catalog.find(tool);
    if (!entry || entry.definition.outputSchema !== undefined || results.isSecret(entry)) return undefined;
    const { name, server, definitionHash } = entry;
    const filter = { kind: 'calls', tool: name, server, caller, status: 'success', limit: maxResults } as const;
    const records = await journal.list(filter);
    const values = records.filter((record) => record.definitionHash === definitionHash).flatMap(valuesOf);
    const observed = observeOutput(values);
    if (observed) reportDrift(entry, observed.drift);
    return observed;
  };
}

/** The value that a script gets; none if the journal does not have the whole result. */
function valuesOf(record: CallRecord): readonly unknown[] {
  const result = record.truncated || record.isPreview ? undefined : recordedResult(record);
  return result && !result.isError ? [valueOfResult({ ...result })] : [];
}
