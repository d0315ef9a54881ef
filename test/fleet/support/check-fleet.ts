import {
  checkHistory,
  type Effect,
  type Finding,
  type FindingKind,
  type History,
} from '../../faults/support/check-history.ts';
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
  readonly rates: Readonly<Record<string, { readonly calls: number; readonly perMs: number }>>;
  /** The servers with `placement: single`. */
  readonly singles: readonly string[];
}

/**
 * `misrouted`: an answer of another client reached the call. `over-limit`: more executions at once than `maxInstances`.
 * `over-rate`: more executions in a period than the rate allows. `two-processes`: a process of a server with `placement: single`
 * ran a tool after another process of it had.
 * `ran-though-denied`: an administrator denied the call. `ran-though-revoked`: the key had been revoked when the call was
 * sent. `sent-after-end`: a call was sent although the journal had its end.
 */
export type FleetFindingKind =
  | FindingKind
  | 'misrouted'
  | 'over-limit'
  | 'over-rate'
  | 'two-processes'
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
  const { effects, calls, decisions, revocations, sentAfterEnd, limits, rates, singles } = history;
  const ran = new Map(effects.map((effect) => [effect.marker, effect]));
  const sent = new Map(calls.map((call) => [call.marker, call]));
  const findings: FleetFinding[] = [...checkHistory(history)];
  const find = (kind: FleetFindingKind, marker: string, message: string) => findings.push({ kind, marker, message });

  /** The effects of a server in their order, with the time when the client sent the call. */
  function executionsOf(server: string): Execution[] {
    return effects.flatMap((effect) => {
      const call = sent.get(effect.marker);
      return call?.tool?.startsWith(`${server}__`) ? [{ ...effect, sentAt: call.sentAt }] : [];
    });
  }

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
  for (const [server, rate] of Object.entries(rates)) {
    const marker = findOverRate(executionsOf(server), rate);
    if (marker !== undefined)
      find('over-rate', marker, `more than ${rate.calls} executions in ${rate.perMs} ms on ${server}`);
  }
  for (const server of singles) {
    const marker = findReturned(executionsOf(server));
    if (marker !== undefined) find('two-processes', marker, `another process of ${server} had taken over`);
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

interface Execution extends Effect {
  readonly sentAt: number;
}

/**
 * The call that was one too many for a rate. A call is accepted between the moment when its client sent it and its execution, so
 * only calls whose whole time is within the period surely count together.
 */
function findOverRate(executions: readonly Execution[], rate: { calls: number; perMs: number }): string | undefined {
  for (const { sentAt: from } of executions) {
    // The database rounds times to milliseconds.
    const within = executions.filter(({ sentAt, at }) => sentAt >= from && at < from + rate.perMs - 1);
    if (within.length > rate.calls) return within.at(-1)?.marker;
  }
  return undefined;
}

/** The call that a process executed although another process had executed a later one. */
function findReturned(executions: readonly Execution[]): string | undefined {
  const replaced = new Set<number | undefined>();
  let current: number | undefined;
  for (const { pid, marker } of executions) {
    if (replaced.has(pid)) return marker;
    if (current !== undefined && pid !== current) replaced.add(current);
    current = pid;
  }
  return undefined;
}
