import { messageOf } from '../../../../contract/errors.ts';
import type { CallRecord } from '../../../../toolwharf/invocation/call-record.ts';
import { actPrefix } from '../../../../toolwharf/storage/audit/acts.ts';
import type { Link } from '../../../../toolwharf/storage/chain/chain-link.ts';
import type { AuditFinding } from '../../../../toolwharf/storage/ports/audit.ts';
import { isMalformedRow } from '../sql/parse-row.ts';
import { type CallColumns, callColumns, toIndexText } from './call-columns.ts';
import type { ChainSource, ListedCall } from './chain.ts';
import { type ChainStep, hashStep } from './chain.ts';

const pageSize = 200;

/** Verifies every step against its hash, its predecessor and the list of calls. Concurrent appends and removals are fine. */
export async function* verifyChain(source: ChainSource): AsyncGenerator<AuditFinding> {
  const ends = await source.ends().catch(toFinding);
  if ('kind' in ends) {
    yield ends;
    return;
  }
  const { anchor, head } = ends;
  let last: Link = anchor;
  for (;;) {
    const steps = await source.steps(last.seq, pageSize);
    if (steps.length === 0) break;
    const listed = new Map((await source.listed(steps.map(({ callId }) => callId))).map((call) => [call.id, call]));
    for (const step of steps) {
      const from = step.seq === last.seq + 1 ? last : (await source.ends()).anchor;
      const known = from.seq >= last.seq ? from : last;
      if (step.seq > known.seq + 1) yield missing(known.seq + 1, step.seq - 1);
      const problem = stepProblem(step, step.seq === known.seq + 1 ? known.hash : undefined, head);
      if (problem) yield problem;
      else if (!step.callId.startsWith(actPrefix))
        yield* listProblems(source, step, listed.get(toIndexText(step.callId)));
      last = step;
    }
  }
  if (last.seq < head.seq && (await source.ends()).anchor.seq < head.seq) yield missing(last.seq + 1, head.seq);
  const { head: now } = await source.ends();
  if (last.seq > now.seq) yield { seq: now.seq + 1, kind: 'torn', detail: `The journal ends at step ${now.seq}` };
  for (const { id, seq } of await source.orphans()) {
    yield { seq, kind: 'missing', detail: `The list of calls has ${id} from step ${seq}, which is missing` };
  }
}

/** A malformed row without which nothing else can be verified. */
function toFinding(cause: unknown): AuditFinding {
  if (isMalformedRow(cause)) return { seq: 0, kind: 'changed', detail: messageOf(cause) };
  throw cause;
}

function missing(first: number, last: number): AuditFinding {
  const what = first === last ? `Step ${first} is` : `Steps ${first} to ${last} are`;
  return { seq: first, kind: 'missing', detail: `${what} missing` };
}

/** `previous` is undefined after a gap. */
function stepProblem(step: ChainStep, previous: string | undefined, head: Link): AuditFinding | undefined {
  const { seq, callId } = step;
  if (hashStep(step) !== step.hash) {
    const isTorn = parse(step.body) === undefined;
    const detail = isTorn ? 'is truncated' : 'does not match its hash';
    return { seq, kind: isTorn ? 'torn' : 'changed', detail: `Step ${seq} of call ${callId} ${detail}` };
  }
  if (previous !== undefined && step.previous !== previous) {
    const detail = `Step ${seq} of call ${callId} does not follow the step before it: one of the two was replaced`;
    return { seq, kind: 'order', detail };
  }
  if (seq === head.seq && step.hash !== head.hash) {
    return { seq, kind: 'changed', detail: `Step ${seq} of call ${callId} is not the one that was written last` };
  }
  return undefined;
}

async function* listProblems(
  source: ChainSource,
  step: ChainStep,
  listed: ListedCall | undefined,
): AsyncGenerator<AuditFinding> {
  const { seq, callId } = step;
  if (listed && listed.seq > seq) return;
  if (!listed || listed.seq < seq) {
    const [stillThere] = await source.steps(seq - 1, 1);
    if (stillThere?.seq !== seq) return;
    const detail = listed ? `stops at step ${listed.seq}` : 'does not have it';
    yield { seq, kind: 'torn', detail: `Step ${seq} of call ${callId}: the list of calls ${detail}` };
    return;
  }
  const recorded = columnsOf(step.body);
  if (!recorded) {
    yield { seq, kind: 'changed', detail: `Step ${seq} of call ${callId} is malformed: it is no record of a call` };
    return;
  }
  for (const [name, value] of Object.entries(recorded)) {
    const found = listed[name as keyof ListedCall];
    if (found === value) continue;
    const detail = `the list of calls says ${name} ${JSON.stringify(found)}, the journal ${JSON.stringify(value)}`;
    yield { seq, kind: 'changed', detail: `Call ${callId}: ${detail}` };
  }
}

/** The columns of the call that a step records; undefined if it records none. */
function columnsOf(body: string): CallColumns | undefined {
  try {
    return callColumns(JSON.parse(body) as CallRecord);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
