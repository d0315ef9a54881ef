import type { Approval, Call } from '../../api/client.ts';

export interface Phase {
  readonly name: 'Waiting for an answer' | 'Waiting for its turn' | 'Running';
  readonly from: number;
  readonly to: number;
  /** It is not over. */
  readonly open: boolean;
}

/** How the time of a call was spent, in order. Phases too short to be seen are left out. */
export function phasesOf(call: Call, approval: Approval | undefined, now: number): readonly Phase[] {
  const ended = timeOf(call.completedAt);
  const until = ended ?? now;
  const started = timeOf(call.startedAt);
  const created = Date.parse(call.createdAt);
  const phases: Phase[] = [];
  let free = created;
  if (approval) {
    const asked = Date.parse(approval.askedAt);
    const answered = timeOf(approval.answeredAt) ?? (approval.status === 'pending' ? undefined : (started ?? ended));
    const to = Math.min(answered ?? until, started ?? until);
    phases.push({
      name: 'Waiting for an answer',
      from: asked,
      to,
      open: answered === undefined && ended === undefined,
    });
    free = to;
  }
  // While it is asked about it has no turn, and after a no it never gets one.
  const mayRun = approval === undefined || approval.status === 'allowed' || approval.status === 'used';
  if (mayRun) {
    phases.push({
      name: 'Waiting for its turn',
      from: free,
      to: started ?? until,
      open: started === undefined && ended === undefined,
    });
  }
  if (started !== undefined) phases.push({ name: 'Running', from: started, to: until, open: ended === undefined });
  return phases.filter(({ from, to, open, name }) => open || to - from >= 1 || name === 'Running');
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
