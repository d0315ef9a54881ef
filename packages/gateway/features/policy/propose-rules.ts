import type { z } from 'zod';
import type { proposalsSchema } from '../../../contract/api/policy.ts';
import { createSlice } from '../../../toolwharf/kernel/slices.ts';
import type { AnsweredCall } from '../../../toolwharf/policy/approval-store.ts';

type Proposal = z.input<typeof proposalsSchema>['proposals'][number];

/** Fewer answers say nothing. */
const minAnswers = 10;
const maxProposals = 50;
/** Arguments and folders that are counted apart, of one tool. */
const maxGroups = 1_000;

interface Counts {
  allowed: number;
  denied: number;
}

interface ToolAnswers extends Counts, Pick<AnsweredCall, 'server' | 'originalName'> {
  /** By the name of an argument and the folder that it names. */
  readonly folders: Map<string, Counts & { readonly argument: string; readonly folder: string }>;
}

/** Proposes settings and rules from what people always answered. Reads every answer. */
export async function proposeRules(answers: AsyncIterable<AnsweredCall>): Promise<readonly Proposal[]> {
  const tools = new Map<string, ToolAnswers>();
  const slice = createSlice({ maxSteps: 200 });
  for await (const answer of answers) {
    const { server, originalName } = answer;
    const key = JSON.stringify([server, originalName]);
    const tool = tools.get(key) ?? { server, originalName, allowed: 0, denied: 0, folders: new Map() };
    tools.set(key, tool);
    count(tool, answer);
    for (const [argument, value] of Object.entries(answer.arguments)) {
      const folder = folderOf(value);
      const group = JSON.stringify([argument, folder]);
      if (folder === undefined || !isName.test(argument)) continue;
      const known = tool.folders.get(group) ?? { argument, folder, allowed: 0, denied: 0 };
      if (!tool.folders.has(group) && tool.folders.size >= maxGroups) continue;
      tool.folders.set(group, known);
      count(known, answer);
    }
    if (slice.isOver()) await slice.next();
  }
  return [...tools.values()]
    .flatMap(proposalsOf)
    .sort((one, other) => other.answers - one.answers)
    .slice(0, maxProposals);
}

const isName = /^[A-Za-z_][A-Za-z0-9_]{0,60}$/;

function count(counts: Counts, { isAllowed }: AnsweredCall): void {
  if (isAllowed) counts.allowed++;
  else counts.denied++;
}

/** `docs/` of `docs/a/b.md`, and `/srv/` of `/srv/notes`. Undefined for what is no path in a folder, or leaves it. */
function folderOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 1_000 || value.includes('..')) return undefined;
  return /^\/?[\w.@-]{1,60}\//.exec(value)?.[0];
}

/** One for the tool if people always gave the same answer, and else one for each folder where they did. */
function proposalsOf(tool: ToolAnswers): readonly Proposal[] {
  const total = tool.allowed + tool.denied;
  const folders = [...tool.folders.values()];
  const common = folders.filter(({ allowed, denied }) => allowed + denied === total);
  if (tool.allowed === 0 || tool.denied === 0) return isEnough(tool) ? [toProposal(tool, tool, common[0])] : [];
  return folders
    .filter((counts) => isEnough(counts) && (counts.allowed === 0 || counts.denied === 0))
    .map((counts) => toProposal(tool, counts, counts));
}

function isEnough({ allowed, denied }: Counts): boolean {
  return allowed + denied >= minAnswers;
}

function toProposal(
  { server, originalName }: Pick<AnsweredCall, 'server' | 'originalName'>,
  { allowed, denied }: Counts,
  place: { readonly argument: string; readonly folder: string } | undefined,
): Proposal {
  const isAllowed = denied === 0;
  const tool = server === undefined ? originalName : `${server}/${originalName}`;
  const call = `call.server == ${JSON.stringify(server ?? '')} && call.tool == ${JSON.stringify(originalName)}`;
  const inFolder =
    place &&
    `has(call.args.${place.argument}) && call.args.${place.argument}.startsWith(${JSON.stringify(place.folder)}) && !call.args.${place.argument}.contains('..')`;
  const facts = {
    ...{ tool, answers: allowed + denied, people: isAllowed ? ('allow' as const) : ('deny' as const) },
    ...(place && { argument: place.argument, folder: place.folder }),
  };
  // A policy only makes decisions stricter: what people always allow everywhere is a matter of trust.
  if (isAllowed && !inFolder)
    return { ...facts, yaml: `toolbox:\n  approval:\n    trustedTools: [${JSON.stringify(tool)}]\n` };
  const when = isAllowed ? `${call} && !(${inFolder})` : inFolder === undefined ? call : `${call} && ${inFolder}`;
  const where = place === undefined ? '' : ` ${isAllowed ? 'outside' : 'in'} ${place.folder}`;
  const rule = {
    id: `${isAllowed ? 'ask' : 'deny'} ${tool}${where}`.slice(0, 100),
    when,
    then: isAllowed ? ('ask' as const) : ('deny' as const),
    mode: 'shadow' as const,
  };
  const lines = Object.entries(rule).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return { ...facts, rule, yaml: `policy:\n  rules:\n    - ${lines.join('\n      ')}\n` };
}
