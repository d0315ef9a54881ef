import type { Approval, Call } from '../../api/client.ts';

export interface Phase {
  readonly name: 'approval' | 'queued' | 'running';
  readonly from: number;
  readonly to: number;
  /** The phase has not ended. */
  readonly open: boolean;
}

/** The phases of a call in order. Phases shorter than a millisecond are left out. */
export function findPhases(call: Call, approval: Approval | undefined, now: number): readonly Phase[] {
  const ended = parseTime(call.completedAt);
  const until = ended ?? now;
  const started = parseTime(call.startedAt);
  const created = Date.parse(call.createdAt);
  const phases: Phase[] = [];
  let queuedAt = created;
  if (approval) {
    const asked = Date.parse(approval.askedAt);
    const answered =
      parseTime(approval.status === 'expired' ? approval.expiresAt : approval.answeredAt) ??
      (approval.status === 'pending' ? undefined : (started ?? ended));
    const to = Math.min(answered ?? until, started ?? until);
    phases.push({
      name: 'approval',
      from: asked,
      to,
      open: answered === undefined && ended === undefined,
    });
    queuedAt = to;
  }
  // A call is queued only once it is approved.
  const isApproved = approval === undefined || approval.status === 'allowed' || approval.status === 'used';
  if (isApproved) {
    phases.push({
      name: 'queued',
      from: queuedAt,
      to: started ?? until,
      open: started === undefined && ended === undefined,
    });
  }
  if (started !== undefined) phases.push({ name: 'running', from: started, to: until, open: ended === undefined });
  return phases.filter(({ from, to, open, name }) => open || to - from >= 1 || name === 'running');
}

function parseTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
