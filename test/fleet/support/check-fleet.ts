import { checkHistory, type Finding, type FindingKind, type History } from '../../faults/support/check-history.ts';
import { answerOf } from '../../faults/support/load.ts';

/** An approval as an administrator answered it. */
export interface Decision {
  readonly marker: string;
  readonly answer: 'allow' | 'deny';
}

/** A key that was revoked; `at` is when the gateway confirmed it. */
export interface Revocation {
  readonly client: string;
  readonly at: number;
}

/** Events in a fleet, besides calls and effects. */
export interface FleetHistory extends History {
  readonly decisions: readonly Decision[];
  readonly revocations: readonly Revocation[];
  /** Calls whose journal continues after an end with a step that sends them. */
  readonly sentAfterEnd: readonly string[];
  /** `maxInstances` by server. */
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * `misrouted`: an answer of another client reached the call. `over-limit`: more executions at once than `maxInstances`.
 * `ran-though-denied`: an administrator denied the call. `ran-though-revoked`: the key had been revoked when the call was
 * sent. `sent-after-end`: a call was sent although the journal had its end.
 */
export type FleetFindingKind =
  | FindingKind
  | 'misrouted'
  | 'over-limit'
  | 'ran-though-denied'
  | 'ran-though-revoked'
  | 'sent-after-end';

export interface FleetFinding extends Omit<Finding, 'kind'> {
  readonly kind: FleetFindingKind;
  /** What is known about the call, to find the cause. */
  readonly evidence?: unknown;
}

/** The time in which every replica learns of a revoked key, as the guide promises. */
const revocationMs = 1_000;

/** Compares calls, effects, records, answers and limits of a fleet. Pure. */
export function checkFleet(history: FleetHistory): readonly FleetFinding[] {
  const { effects, calls, decisions, revocations, sentAfterEnd, limits } = history;
  const ran = new Map(effects.map((effect) => [effect.marker, effect]));
  const sent = new Map(calls.map((call) => [call.marker, call]));
  const findings: FleetFinding[] = [...checkHistory(history)];
  const find = (kind: FleetFindingKind, marker: string, message: string) => findings.push({ kind, marker, message });

  for (const { marker, client, answeredBy } of effects) {
    if (answeredBy !== undefined && answeredBy !== answerOf(client, marker))
      find('misrouted', marker, `the question to ${client} was answered: ${answeredBy}`);
  }
  for (const { marker, concurrent = 0 } of effects) {
    const [server = ''] = sent.get(marker)?.tool?.split('__') ?? [];
    const limit = limits[server];
    if (limit !== undefined && concurrent > limit)
      find('over-limit', marker, `${concurrent} executions at once on ${server}, which allows ${limit}`);
  }
  for (const { marker, answer } of decisions) {
    const wasAllowed = decisions.some((other) => other.marker === marker && other.answer === 'allow');
    if (answer === 'deny' && !wasAllowed && ran.has(marker))
      find('ran-though-denied', marker, 'it was denied, and it ran');
  }
  for (const { client, at } of revocations) {
    for (const call of calls) {
      if (call.client === client && call.sentAt > at + revocationMs && ran.has(call.marker))
        find('ran-though-revoked', call.marker, `sent ${call.sentAt - at} ms after the key was revoked, and it ran`);
    }
  }
  for (const marker of sentAfterEnd) find('sent-after-end', marker, 'the journal has a step after the end');
  return findings;
}
