import type { z } from 'zod';
import type { replayPageSchema } from '../../../contract/api/policy.ts';
import { budgetPrefix } from '../../../contract/settings/choices.ts';
import type { CompiledRule } from '../../../toolwharf/features/policy/compile-rules.ts';
import { judge, toDecidingRules, toVerdict } from '../../../toolwharf/features/policy/judge.ts';
import { runCodeName } from '../../../toolwharf/features/scripts/code-tools.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { createSlice } from '../../../toolwharf/kernel/slices.ts';
import type { Audit, AuditEntry } from '../../../toolwharf/storage/ports/audit.ts';
import type { createRecordedCalls } from './recorded-call.ts';

type Page = z.input<typeof replayPageSchema>;
type Flip = Page['flips'][number];
type Outcome = Flip['before'];

export interface ReplayOptions {
  readonly audit: Pick<Audit, 'export' | 'ends'>;
  /** The current record of a call. */
  readonly find: (id: string) => Promise<CallRecord | undefined>;
  readonly toRecorded: ReturnType<typeof createRecordedCalls>;
  readonly signal: AbortSignal;
  readonly after?: number;
  readonly since?: number;
  /** Journal entries of a page; 5 000. */
  readonly maxEntries?: number;
}

/** Judges the calls that ended in a page of the journal with these rules, and returns those that they decide in another way. */
export async function replayPage(rules: readonly CompiledRule[], options: ReplayOptions): Promise<Page> {
  const { audit, find, toRecorded, signal, after = 0, since = 0, maxEntries = 5_000 } = options;
  const { head } = await audit.ends();
  const slice = createSlice({ maxSteps: 100 });
  const parents = new Map<string, CallRecord | undefined>();
  const flips: Flip[] = [];
  let [judged, unknown, read, at] = [0, 0, 0, after];

  async function parentOf({ parent }: CallRecord): Promise<CallRecord | undefined> {
    if (parent?.kind !== 'call') return undefined;
    if (!parents.has(parent.id)) parents.set(parent.id, await find(parent.id));
    return parents.get(parent.id);
  }

  async function judgeRecord(record: CallRecord): Promise<void> {
    const judging = rulesFor(record, rules);
    const conditions = judging.map(({ condition }) => condition);
    const recorded = await toRecorded(record, await parentOf(record), conditions);
    const now = new Date(record.createdAt);
    const outcomes = judge(judging, recorded.facts, now);
    const reads = ({ rule: { condition } }: (typeof outcomes)[number]) =>
      [...recorded.unknown].some((name) => condition.uses.has(name));
    if (outcomes.some(reads)) {
      unknown++;
      return;
    }
    judged++;
    const before = outcomeOf(record);
    const verdict = toVerdict(outcomes);
    const decided = outcomeUnder(verdict?.kind, record);
    if (before === decided) return;
    const { id, createdAt, server, tool, caller, approval } = record;
    flips.push({
      ...{ id, at: createdAt, server, tool, caller: caller.name ?? caller.id, before, after: decided },
      ...{ person: approval?.answer, by: approval?.by },
      rules: toDecidingRules(outcomes).flatMap((rule) => (rule.mode === 'enforce' ? [rule.id] : [])),
    });
  }

  for await (const entry of audit.export({ after, limit: maxEntries })) {
    signal.throwIfAborted();
    read++;
    at = entry.seq;
    const record = toJudged(entry);
    if (record && Date.parse(record.createdAt) >= since) await judgeRecord(record);
    if (slice.isOver()) await slice.next();
  }
  return { flips, judged, unknown, at, head: head.seq, next: read < maxEntries ? undefined : at };
}

/** The record of a call that a policy judges, from the entry of its end. A tool that only runs others is not judged itself. */
function toJudged({ record }: AuditEntry): CallRecord | undefined {
  if (typeof record === 'string' || !('completedAt' in record) || record.completedAt === undefined) return undefined;
  if (record.kind === 'search' || record.kind === 'administration') return undefined;
  if (record.server === undefined && record.originalName === runCodeName) return undefined;
  // Other calls ended before anything was decided, such as those with invalid arguments.
  return record.startedAt !== undefined || record.end === 'denied' ? record : undefined;
}

/** The rules that judge a call: reads are not hidden. */
export function rulesFor({ kind }: Pick<CallRecord, 'kind'>, rules: readonly CompiledRule[]): readonly CompiledRule[] {
  return kind === undefined ? rules : rules.filter(({ then }) => then !== 'hide');
}

function outcomeOf({ approval, end }: CallRecord): Outcome {
  if (approval) return 'asked';
  return end === 'denied' ? 'denied' : 'allowed';
}

/** What happens under another policy, where the other settings decide as they did. */
function outcomeUnder(verdict: 'ask' | 'deny' | undefined, record: CallRecord): Outcome {
  const before = outcomeOf(record);
  const byPolicy = (record.policy ?? [])
    .filter(({ id, mode, flow }) => mode === 'enforce' && !flow && !id.startsWith(budgetPrefix))
    .map(({ effect }) => effect);
  const wasDenied = byPolicy.includes('deny') || byPolicy.includes('hide');
  if (before === 'denied' && !wasDenied) return 'denied';
  if (verdict === 'deny') return 'denied';
  if (verdict === 'ask') return 'asked';
  return before === 'asked' && !byPolicy.includes('ask') ? 'asked' : 'allowed';
}
