import { messageOf } from '../../../contract/errors.ts';
import type { NotificationConfig } from '../../../contract/settings/notifications-schema.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import { type Clock, systemClock } from '../../../toolwharf/kernel/clock.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { createMutex, type Mutex } from '../../../toolwharf/kernel/mutex.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import type { ApprovalStore } from '../../../toolwharf/policy/approval-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { sendMessage } from './channels.ts';
import { type MessageRecord, openMessageRecords } from './message-records.ts';
import { isQuiet } from './quiet-hours.ts';

export interface NotifierPorts {
  readonly channels: () => readonly NotificationConfig[];
  readonly storage: { readonly approvals: Pick<ApprovalStore, 'list' | 'get'> } & Pick<Storage, 'openPluginRecords'>;
  /** The addresses of the people who may answer an approval, and whether they are all that may. */
  readonly findRecipients: (request: ApprovalRequest, to: readonly string[] | undefined) => Promise<readonly string[]>;
  /** The callers of one person share a message. */
  readonly personOf: (callerId: string) => Promise<string>;
  readonly linkFor: (message: string) => string | undefined;
  readonly env: Environment;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly clock?: Clock;
  /** How long a message waits for further approvals of its caller; 3 000. */
  readonly burstMs?: number;
  /** How often approvals of other replicas, and those whose time has come, are looked for; 10 000. */
  readonly pollMs?: number;
  /** Delay before the second attempt to send; grows fourfold with each attempt; 1 000. */
  readonly backoffMs?: number;
}

export interface Notifier {
  /** An approval waits: looks for what is to be sent when its burst is over. */
  wake(): void;
  /** Ends when the messages that are being sent are. */
  close(): Promise<void>;
}

const maxAttempts = 4;
const attemptMs = 15_000;
/** Longer than all attempts take: a message that is still not sent then was that of a replica that is gone. */
const claimMs = 180_000;
const maxPending = 500;

/**
 * Sends one message per channel, caller and burst of approvals. Replicas take turns to look for approvals and claim those that they
 * send, so that each approval is sent once through each channel.
 */
export function createNotifier(ports: NotifierPorts): Notifier {
  const { channels, storage, log, stopping, clock = systemClock, burstMs = 3_000, pollMs = 10_000 } = ports;
  const records = openMessageRecords(storage, clock);
  const mutexes = new Map<string, Mutex>();
  const sending = new Set<Promise<void>>();
  /** What this replica has claimed, or knows that others have sent. */
  const settled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();

  function schedule(at: number): void {
    if (at >= wakeAt || stopping.aborted) return;
    clearTimeout(timer);
    wakeAt = at;
    timer = setTimeout(
      () => {
        wakeAt = Number.POSITIVE_INFINITY;
        looking = look().catch((cause) => {
          log.warning('notification.failed', `Approvals to send could not be read: ${messageOf(cause)}`);
          schedule(clock.now() + pollMs);
        });
      },
      Math.max(0, at - clock.now()),
    );
    timer.unref();
  }

  async function look(): Promise<void> {
    const current = channels();
    // The next approval wakes it, if there are channels by then.
    if (current.length === 0) return;
    const waiting = await pendingApprovals();
    const now = clock.now();
    const open = waiting.filter(({ expiresAt }) => Date.parse(expiresAt) > now);
    const isDue = current.some((channel) => open.some((request) => isDueAt(channel, request, now)));
    if (isDue) for (const claim of await records.inTurn(() => claimAll(current))) send(claim);
    for (const key of settled) if (!waiting.some(({ id }) => key.endsWith(`/${id}`))) settled.delete(key);
    const next = current.flatMap((channel) =>
      open.filter(({ id }) => !settled.has(`${channel.name}/${id}`)).map((request) => dueTime(channel, request)),
    );
    schedule(Math.min(clock.now() + pollMs, ...next.filter((time) => time > now)));
  }

  const readyTime = ({ after = 0 }: NotificationConfig, { askedAt }: ApprovalRequest) => Date.parse(askedAt) + after;
  const dueTime = (channel: NotificationConfig, request: ApprovalRequest) => readyTime(channel, request) + burstMs;

  function isDueAt(channel: NotificationConfig, request: ApprovalRequest, now: number): boolean {
    const isSettled = settled.has(`${channel.name}/${request.id}`);
    return !isSettled && dueTime(channel, request) <= now && !isQuiet(channel.quietHours, now);
  }

  async function pendingApprovals(): Promise<readonly ApprovalRequest[]> {
    const found = await storage.approvals.list({ status: 'pending', limit: maxPending });
    return found.map(({ request }) => request).toReversed();
  }

  /** Claims what is due, with what else is ready for the same caller and channel. */
  async function claimAll(current: readonly NotificationConfig[]): Promise<readonly Claim[]> {
    const now = clock.now();
    const open = (await pendingApprovals()).filter(({ expiresAt }) => Date.parse(expiresAt) > now);
    const persons = new Map<string, string>();
    for (const { caller } of open) {
      const id = caller.user ?? caller.id;
      if (!persons.has(id)) persons.set(id, await ports.personOf(id).catch(() => id));
    }
    const byCaller = Map.groupBy(open, ({ caller }) => persons.get(caller.user ?? caller.id));
    const claims: Claim[] = [];
    for (const channel of current)
      for (const requests of byCaller.values()) {
        if (!requests.some((request) => isDueAt(channel, request, now))) continue;
        const ready = requests.filter((request) => readyTime(channel, request) <= now);
        const claimed: ApprovalRequest[] = [];
        for (const request of ready) {
          const key = `${channel.name}/${request.id}`;
          if (settled.has(key)) continue;
          const outcome = await records.claim(key, { until: now + claimMs, expiresAt: request.expiresAt });
          if (outcome !== 'busy') settled.add(key);
          if (outcome === 'claimed') claimed.push(request);
        }
        if (claimed.length > 0) claims.push({ channel, requests: claimed });
      }
    return claims;
  }

  /** Channels send one message at a time. */
  function send(claim: Claim): void {
    const { name } = claim.channel;
    const mutex = mutexes.get(name) ?? createMutex();
    mutexes.set(name, mutex);
    const work = mutex(() => deliver(claim))
      .catch((cause) => warn(claim, messageOf(cause)))
      // When this replica stops, another one takes the claim over.
      .then(() => (stopping.aborted ? undefined : markSent(claim)))
      .catch((cause) => warn(claim, messageOf(cause)));
    sending.add(work);
    void work.finally(() => sending.delete(work));
  }

  async function markSent({ channel, requests }: Claim): Promise<void> {
    await Promise.all(requests.map(({ id }) => records.markSent(`${channel.name}/${id}`)));
  }

  async function deliver({ channel, requests: claimed }: Claim): Promise<void> {
    // The whole arguments: lists shorten large ones.
    const stored = await Promise.all(claimed.map(({ id }) => storage.approvals.get(id)));
    const requests = stored.filter((one) => one?.status === 'pending').flatMap((one) => one?.request ?? []);
    if (requests.length === 0) return;
    if (channel.type !== 'email') {
      await sendOne({ channel, requests });
    } else {
      const byAddress = new Map<string, ApprovalRequest[]>();
      for (const request of requests)
        for (const to of await ports.findRecipients(request, channel.to))
          byAddress.set(to, [...(byAddress.get(to) ?? []), request]);
      if (byAddress.size === 0) warn({ channel, requests }, 'nobody who may answer has a known e-mail address');
      for (const [to, own] of byAddress)
        await sendOne({ channel, requests: own }, to).catch((cause) =>
          warn({ channel, requests: own }, messageOf(cause)),
        );
    }
  }

  async function sendOne({ channel, requests }: Claim, to?: string): Promise<void> {
    const expiresAt =
      requests
        .map((request) => request.expiresAt)
        .toSorted()
        .at(-1) ?? '';
    const record: MessageRecord = {
      id: createId(),
      channel: channel.name,
      approvals: requests.map(({ id }) => id),
      to,
      expiresAt,
    };
    await records.addMessage(record);
    const message = { id: record.id, requests, link: ports.linkFor(record.id) };
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(attemptMs)]);
      const outcome = await sendMessage(channel, message, { env: ports.env, now: clock.now(), signal, to });
      if (outcome === 'delivered') return;
      stopping.throwIfAborted();
      if (!outcome.retry || attempt >= maxAttempts) throw new Error(outcome.reason);
      await clock.sleep((ports.backoffMs ?? 1_000) * 4 ** (attempt - 1) * (0.5 + Math.random()), stopping);
    }
  }

  function warn({ channel, requests }: Claim, reason: string): void {
    if (stopping.aborted) return;
    const what = requests.length === 1 ? `Approval ${requests[0]?.id} was` : `${requests.length} approvals were`;
    log.warning('notification.failed', `${what} not sent to '${channel.name}': ${reason}`, { channel: channel.name });
  }

  // At the start, for approvals that waited while no gateway ran.
  if (channels().length > 0) schedule(clock.now());
  return {
    wake: () => schedule(clock.now() + burstMs),
    async close() {
      clearTimeout(timer);
      wakeAt = Number.NEGATIVE_INFINITY;
      await looking;
      await Promise.all(sending);
    },
  };
}

interface Claim {
  readonly channel: NotificationConfig;
  readonly requests: readonly ApprovalRequest[];
}
