import type { ReportedTool, ToolReport } from '../../../contract/api/tool-report.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { toDocument } from '../../../toolwharf/features/search/search-tools.ts';
import type { ToolDocument } from '../../../toolwharf/features/search/tool-fields.ts';
import { createToolIndex, type ToolIndex } from '../../../toolwharf/features/search/tool-index.ts';
import { countTokens } from '../../../toolwharf/features/signatures/count-tokens.ts';
import type { Journal } from '../../../toolwharf/invocation/journal.ts';
import { createSlice } from '../../../toolwharf/kernel/slices.ts';
import { toolIdOf, toolKey } from '../../../toolwharf/kernel/tool-id.ts';
import type { CallCounter } from '../../../toolwharf/storage/ports/call-counts.ts';
import { describeProblems, type Problem } from './describe-problems.ts';
import { findConfusable, maxCompared } from './find-confusable.ts';
import { proposeDescription } from './propose-description.ts';
import { countFound, type RecordedSearch, readSearches } from './recorded-searches.ts';

export interface ReportOptions {
  readonly entries: readonly CatalogEntry[];
  readonly describeServer: (server: string) => string | undefined;
  readonly storage: { readonly journal: Pick<Journal, 'list'>; readonly callCounts: Pick<CallCounter, 'count'> };
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** More names would not fit into one query. */
const maxUsed = 30_000;

/** Reports the tools with problems, and how well recorded searches find the tools that were called after them. */
export async function reportTools({ entries, storage, since, until, ...options }: ReportOptions): Promise<ToolReport> {
  const documents = entries.map((entry) => toDocument(entry.name, entry, options.describeServer));
  const byId = new Map(documents.map((document) => [document.id, document]));
  const keys = new Map(entries.map((entry) => [entry.name, toolKey(toolIdOf(entry))]));
  const index = await buildIndex(documents);
  const rivals = await findConfusable(documents, index);
  const calls = await countCalls(storage.callCounts, { since, until });
  // Where nobody has called anything yet, it is no problem of a tool.
  const isUsed = entries.some((entry) => calls.has(toolKey(toolIdOf(entry))));
  const slice = createSlice({ maxSteps: 100 });
  const tools: ReportedTool[] = [];
  for (const entry of entries) {
    const { name, server, originalName, definition } = entry;
    const document = byId.get(name) as ToolDocument;
    const near = (rivals.get(name) ?? []).map((id) => byId.get(id) as ToolDocument);
    const used = calls.get(toolKey(toolIdOf(entry))) ?? 0;
    const problems = [
      ...describeProblems(document, definition),
      ...confusionOf(near),
      ...(isUsed ? usageOf(used) : []),
    ];
    const description = proposeDescription(document, problems, near);
    tools.push({
      ...{ name, server, originalName, calls: used, problems },
      tokens: countTokens(JSON.stringify({ ...definition, name })),
      proposal: description === undefined ? undefined : { description },
    });
    if (slice.isOver()) await slice.next();
  }
  const searches = await readSearches(storage.journal, new Date(since).toISOString());
  const sum = (list: readonly ReportedTool[]) => list.reduce((all, { tokens }) => all + tokens, 0);
  return {
    since: new Date(since).toISOString(),
    tokens: sum(tools),
    unusedTokens: sum(tools.filter(({ calls: used }) => used === 0)),
    compared: Math.min(documents.length, maxCompared),
    searches: await judgeSearches(searches, { index, documents, tools, keys }),
    tools: tools
      .filter(({ problems }) => problems.length > 0)
      .sort((one, other) => other.tokens - one.tokens || (one.name < other.name ? -1 : 1)),
  };
}

function confusionOf(near: readonly ToolDocument[]): readonly Problem[] {
  if (near.length === 0) return [];
  const tools = near.map(({ id }) => id);
  return [
    { kind: 'confusable', text: `A search for it finds ${tools.join(', ')} as well, and the other way round.`, tools },
  ];
}

function usageOf(calls: number): readonly Problem[] {
  return calls === 0 ? [{ kind: 'unused', text: 'Nobody called it in this period.' }] : [];
}

interface JudgedCatalog {
  readonly index: ToolIndex;
  readonly documents: readonly ToolDocument[];
  readonly tools: readonly ReportedTool[];
  readonly keys: ReadonlyMap<string, string>;
}

async function judgeSearches(
  searches: readonly RecordedSearch[],
  { index, documents, tools, keys }: JudgedCatalog,
): Promise<ToolReport['searches']> {
  const keyOf = (id: string) => keys.get(id);
  const offered = new Set(keys.values());
  const counted = searches.filter(({ wanted }) => offered.has(wanted));
  const found = countFound(counted, index, keyOf);
  const proposals = new Map(tools.map(({ name, proposal }) => [name, proposal]));
  if (counted.length === 0) return { counted: 0, found: 0, foundWithProposals: 0 };
  const improved = await buildIndex(documents.map((document) => ({ ...document, ...proposals.get(document.id) })));
  return { counted: counted.length, found, foundWithProposals: countFound(counted, improved, keyOf) };
}

async function buildIndex(documents: readonly ToolDocument[]): Promise<ToolIndex> {
  const index = createToolIndex();
  const slice = createSlice({ maxSteps: 100 });
  for (const document of documents) {
    index.set(document);
    if (slice.isOver()) await slice.next();
  }
  return index;
}

async function countCalls(
  counter: Pick<CallCounter, 'count'>,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<ReadonlyMap<string, number>> {
  const { tools } = await counter.count({ since, until, bucketMs: until - since, busiest: maxUsed });
  const calls = new Map<string, number>();
  for (const { key, server, originalName = key, parts } of tools) {
    const id = toolKey({ server, tool: originalName });
    calls.set(
      id,
      parts.reduce((sum, part) => sum + part.calls, calls.get(id) ?? 0),
    );
  }
  return calls;
}
