import type { KeyObject } from 'node:crypto';
import type { Audit, AuditFinding } from '../../../../toolwharf/storage/ports/audit.ts';
import type { Storage } from '../../../../toolwharf/storage/storage.ts';
import { type Checkpoint, readCheckpoints } from './checkpoints.ts';
import { applyActs, firstKinds, kindOf, readState, type TrackedState, unreadablePrefix } from './tracked-state.ts';

/** The data that is compared with checkpoints: the journal, and the stores whose changes are signed. */
export interface AnchoredJournal extends Pick<Audit, 'ends' | 'export'> {
  readState(): Promise<TrackedState>;
  /** The kinds of records that cannot be read without the master key. */
  readonly uncheckable?: readonly string[];
}

/** The journal of a store. */
export function journalOf(storage: Storage): AnchoredJournal {
  const { audit } = storage;
  return { ends: audit.ends, export: audit.export, readState: () => readState(storage) };
}

/**
 * Compares the journal and the stores with signed checkpoints. Finds a removed beginning, end or whole journal, a rewritten
 * step, and rules, keys, pins and other tracked records that were inserted, changed or removed without a signed act.
 */
export async function* verifyAnchor(
  journal: AnchoredJournal,
  file: string,
  publicKey: KeyObject,
): AsyncGenerator<AuditFinding> {
  const { valid, invalidLines } = await readCheckpoints(file, publicKey);
  for (const line of invalidLines)
    yield { seq: 0, kind: 'changed', detail: `Line ${line} of ${file} is no checkpoint signed with the audit key` };
  const last = valid.reduce<Checkpoint | undefined>(
    (latest, one) => (latest && latest.head.seq >= one.head.seq ? latest : one),
    undefined,
  );
  if (!last) {
    yield { seq: 0, kind: 'missing', detail: `${file} has no checkpoint signed with the audit key` };
    return;
  }
  const { anchor, head } = await journal.ends();
  if (head.seq < last.head.seq) {
    const detail = `The journal ends at step ${head.seq}, but step ${last.head.seq} was signed at ${last.at}`;
    yield { seq: head.seq + 1, kind: 'missing', detail };
  }
  for (const checkpoint of valid) {
    const { seq, hash } = checkpoint.head;
    if (seq <= anchor.seq || seq > head.seq) continue;
    for await (const step of journal.export({ after: seq - 1, limit: 1 })) {
      if (step.seq === seq && step.hash === hash) continue;
      yield { seq, kind: 'changed', detail: `Step ${seq} is not the one that was signed at ${checkpoint.at}` };
    }
  }
  let signedAnchor = valid.reduce((highest, { anchor: signed }) => Math.max(highest, signed.seq), 0);
  const expectState = () =>
    applyActs(journal.export({ after: last.head.seq }), new Map(Object.entries(last.state)), publicKey, (act) => {
      if (act.act === 'journal.retained') signedAnchor = Math.max(signedAnchor, Number(act.details?.seq));
    });
  const covered = last.kinds ?? firstKinds;
  const compare = async () =>
    [...compareState(await expectState(), await journal.readState())].filter(
      (one) => covered.includes(kindOf(one.subject)) && !journal.uncheckable?.includes(kindOf(one.subject)),
    );
  const differences = await compare();
  if (anchor.seq > signedAnchor) {
    const detail = `Steps up to ${anchor.seq} were removed without a signed record; ${signedAnchor} is the last that may be`;
    yield { seq: anchor.seq, kind: 'missing', detail };
  }
  if (differences.length === 0) return;
  // A gateway that runs may have changed a rule or key between the two reads: only a difference that stays is a finding.
  const again = new Set((await compare()).map(({ finding }) => finding.detail));
  for (const { finding } of differences) if (again.has(finding.detail)) yield finding;
}

function* compareState(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): Generator<{ readonly subject: string; readonly finding: AuditFinding }> {
  for (const [subject, hash] of found) {
    const known = expected.get(subject);
    if (known === hash) continue;
    if (subject.startsWith(unreadablePrefix)) {
      const kind = subject.slice(unreadablePrefix.length);
      yield { subject: kind, finding: { seq: 0, kind: 'changed', detail: `${kind}: ${hash}` } };
      continue;
    }
    const what = known === undefined ? 'was inserted' : 'was changed';
    yield { subject, finding: { seq: 0, kind: 'changed', detail: `${subject} ${what} without a signed act` } };
  }
  for (const subject of expected.keys()) {
    // An approval that was used or has expired is no longer there.
    if (subject.startsWith('approval/') || found.has(subject)) continue;
    if (found.has(`${unreadablePrefix}${kindOf(subject)}`)) continue;
    yield { subject, finding: { seq: 0, kind: 'missing', detail: `${subject} was removed without a signed act` } };
  }
}
