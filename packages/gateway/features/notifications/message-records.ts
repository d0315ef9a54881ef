import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../toolwharf/kernel/clock.ts';
import type { PluginRecord, RecordStore } from '../../../toolwharf/storage/ports/record-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';

/** A message that was sent, to which its link and buttons refer. */
export interface MessageRecord extends PluginRecord {
  readonly channel: string;
  readonly approvals: readonly string[];
  /** The e-mail address of the only person who may answer through the link. */
  readonly to?: string;
  readonly expiresAt: string;
  readonly usedAt?: string;
}

interface ClaimRecord extends PluginRecord {
  /** When others may send it, in milliseconds. */
  readonly until: number;
  readonly isSent: boolean;
  readonly expiresAt: string;
}

interface TurnRecord extends PluginRecord {
  readonly holder?: string;
  readonly until: number;
}

export interface MessageRecords {
  /** Runs alone among the replicas. A replica that is gone gives up its turn after a time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** `busy`: another replica sends it. */
  claim(key: string, times: Pick<ClaimRecord, 'until' | 'expiresAt'>): Promise<'claimed' | 'busy' | 'sent'>;
  markSent(key: string): Promise<void>;
  addMessage(record: MessageRecord): Promise<void>;
  findMessage(id: string): Promise<MessageRecord | undefined>;
  /** Uses a message up. Returns true exactly once. */
  useMessage(id: string): Promise<boolean>;
}

const turnMs = 30_000;
const retryMs = 50;
const cleanMs = 3_600_000;
const plugin = 'toolwharf.notifications';

export function openMessageRecords(
  { openPluginRecords }: Pick<Storage, 'openPluginRecords'>,
  clock: Pick<Clock, 'now'>,
): MessageRecords {
  const open = <Item extends PluginRecord>(kind: string) =>
    openPluginRecords(plugin, kind, {}) as Pick<RecordStore<Item>, 'list' | 'get' | 'put' | 'replace' | 'remove'>;
  const messages = open<MessageRecord>('messages');
  const claims = open<ClaimRecord>('claims');
  const turns = open<TurnRecord>('turns');
  const self = randomUUID();
  let cleanedAt = Number.NEGATIVE_INFINITY;

  async function takeTurn(): Promise<number> {
    for (;;) {
      const turn = await turns.get('turn');
      const isFree = !turn || turn.holder === undefined || turn.until <= clock.now();
      const next = { id: 'turn', holder: self, until: clock.now() + turnMs };
      const taken = isFree ? await turns.replace(next, turn?.revision ?? 0) : undefined;
      if (taken) return taken.revision;
      await sleep(retryMs);
    }
  }

  async function clean(): Promise<void> {
    if (clock.now() - cleanedAt < cleanMs) return;
    cleanedAt = clock.now();
    for (const store of [messages, claims])
      for (const { id, expiresAt } of await store.list())
        if (Date.parse(expiresAt) < clock.now()) await store.remove(id);
  }

  return {
    async inTurn(work) {
      const revision = await takeTurn();
      try {
        await clean();
        return await work();
      } finally {
        await turns.replace({ id: 'turn', until: 0 }, revision);
      }
    },
    async claim(key, times) {
      const before = await claims.get(key);
      if (before?.isSent) return 'sent';
      if (before && before.until > clock.now()) return 'busy';
      const claimed = await claims.replace({ id: key, isSent: false, ...times }, before?.revision ?? 0);
      return claimed ? 'claimed' : 'busy';
    },
    async markSent(key) {
      const claim = await claims.get(key);
      if (claim) await claims.replace({ ...claim, isSent: true }, claim.revision);
    },
    addMessage: async (record) => void (await messages.put(record)),
    findMessage: (id) => messages.get(id),
    async useMessage(id) {
      const message = await messages.get(id);
      if (!message || message.usedAt !== undefined) return false;
      const used = { ...message, usedAt: new Date(clock.now()).toISOString() };
      return (await messages.replace(used, message.revision)) !== undefined;
    },
  };
}
