import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { ElevationActor, ElevationRequest } from '../../../contract/records/elevation.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import { elevationOf } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { OpenRequests } from '../../core/auth/open-requests.ts';
import { mayUse } from '../../core/auth/users.ts';
import { recordAct } from '../../core/rest/record-act.ts';

/** Requests for a role for a limited time. The user's record carries the granted role and its end, so that it ends on every replica. */
export interface Elevations {
  /** Newest first. */
  list(): Promise<readonly Stored<ElevationRequest>[]>;
  find(id: string): Promise<Stored<ElevationRequest>>;
  request(wanted: Pick<ElevationRequest, 'user' | 'askedBy' | 'role' | 'reason' | 'minutes'>): Promise<string>;
  answer(id: string, answer: 'grant' | 'deny', answeredBy: ElevationActor): Promise<void>;
  /** Withdraws a pending request, or ends a granted role. The response `except`, which reports it, stays open. */
  end(id: string, except?: ServerResponse): Promise<void>;
  close(): void;
}

export interface ElevationsOptions {
  readonly storage: Pick<Storage, 'elevations' | 'users' | 'journal'>;
  readonly log: Log;
  readonly recheckAccess: OpenRequests['recheck'];
}

/** How long a request waits for an answer. */
const pendingMs = 24 * 3_600_000;
/** How often ended roles are looked for. Access ends at its time in any case: this records the end. */
const sweepMs = 5_000;
const maxKept = 500;

export function createElevations({ storage, log, recheckAccess }: ElevationsOptions): Elevations {
  const { elevations: store, users } = storage;

  async function list(): Promise<readonly Stored<ElevationRequest>[]> {
    return (await store.list()).toReversed();
  }

  async function find(id: string): Promise<Stored<ElevationRequest>> {
    const found = await store.get(id);
    if (found) return found;
    throw new ToolwharfError('NOT_FOUND', `There is no request for a role '${id}'`);
  }

  /** Of several answers at the same time, on any replica, one wins. */
  async function change(before: Stored<ElevationRequest>, changes: Partial<ElevationRequest>): Promise<void> {
    const { revision, ...request } = before;
    if (await store.replace({ ...request, ...changes }, revision)) return;
    throw new ToolwharfError('CONFLICT', 'The request was answered or withdrawn meanwhile');
  }

  async function endGranted(before: Stored<ElevationRequest>, until: string, except?: ServerResponse): Promise<void> {
    await change(before, { status: 'ended', until });
    await users.endElevation(before.user, before.id);
    await recheckAccess(except);
  }

  /** Ends what is over. Of several replicas, one records the end. */
  async function sweep(): Promise<void> {
    const now = Date.now();
    const all = await list();
    for (const found of all) {
      const { id, user, role, status, until, createdAt } = found;
      const isOver = status === 'granted' && Date.parse(until ?? createdAt) <= now;
      const isLate = status === 'pending' && Date.parse(createdAt) + pendingMs <= now;
      if (!isOver && !isLate) continue;
      const caller = { id: 'gateway', kind: 'program', name: 'Toolwharf' } as const;
      const act = {
        operation: isOver ? 'endElevation' : 'expireElevation',
        caller,
        details: { elevation: id, user, role },
      };
      const end = () => (isOver ? endGranted(found, until ?? createdAt) : change(found, { status: 'expired' }));
      const current = await store.get(id);
      if (current?.revision === found.revision) await recordAct(act, { storage, log }, end);
    }
    for (const { id, status, revision } of all.slice(maxKept))
      if (status !== 'pending' && status !== 'granted') await store.remove(id, revision);
  }

  let sweeping = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = sweeping
      .then(sweep)
      .catch((cause) => log.warning('elevation.sweep-failed', `Could not end elevated roles: ${messageOf(cause)}`));
  }, sweepMs).unref();

  return {
    list,
    find,
    async request({ user, askedBy, role, reason, minutes }) {
      const mine = (await store.list()).filter((one) => one.user === user);
      const open = mine.find(({ status }) => status === 'pending');
      if (open) throw new ToolwharfError('CONFLICT', 'You have asked for a role already: withdraw that request first');
      const current = await users.get(user);
      if (!mayUse(current)) throw new ToolwharfError('FORBIDDEN', 'You have no access any more');
      if (elevationOf(current)) throw new ToolwharfError('CONFLICT', 'You have a granted role: end it first');
      const id = randomUUID();
      const createdAt = new Date().toISOString();
      await store.replace({ ...{ id, user, askedBy, role, reason, minutes }, status: 'pending', createdAt }, 0);
      return id;
    },
    async answer(id, answer, answeredBy) {
      const found = await find(id);
      if (found.status !== 'pending') throw new ToolwharfError('CONFLICT', `This request is ${found.status} already`);
      const answeredAt = new Date().toISOString();
      if (answer === 'deny') return change(found, { status: 'denied', answeredBy, answeredAt });
      const user = await users.get(found.user);
      if (!mayUse(user)) throw new ToolwharfError('CONFLICT', 'The person has no access any more');
      const until = new Date(Date.now() + found.minutes * 60_000).toISOString();
      await change(found, { status: 'granted', answeredBy, answeredAt, until });
      await users.elevate(found.user, { id, role: found.role, until });
    },
    async end(id, except) {
      const found = await find(id);
      if (found.status === 'pending') return change(found, { status: 'withdrawn' });
      if (found.status === 'granted') return endGranted(found, new Date().toISOString(), except);
      throw new ToolwharfError('CONFLICT', `This request is ${found.status} already`);
    },
    close: () => clearInterval(timer),
  };
}
