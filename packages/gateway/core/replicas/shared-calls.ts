import type { JsonObject } from '../../../contract/json.ts';
import type { ResultPage, StoredResult } from '../../../toolwharf/invocation/large-results.ts';
import type { FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { Fleet } from './fleet.ts';

/** The running calls of all replicas. */
export interface SharedCalls {
  /** The other replica that a recorded call belongs to, if it has not ended. */
  findReplica(id: string): Promise<string | undefined>;
  /** Cancels a call and waits for its end. Returns false if it has ended already. */
  cancel(id: string): Promise<boolean>;
  /** A page of a truncated result; undefined if no replica has it. */
  readResult(id: string, offset: number, length: number): Promise<ResultPage | undefined>;
}

export function shareCalls(
  toolbox: Pick<InternalToolbox, 'calls'>,
  fleet: Fleet,
  store: Pick<FleetStore, 'ownerOfCall'> | undefined,
  cancelWaiting: (id: string) => Promise<boolean>,
): SharedCalls {
  async function findReplica(id: string): Promise<string | undefined> {
    const owner = await store?.ownerOfCall(id);
    return owner === fleet.replica ? undefined : owner;
  }

  async function cancelHere(id: string): Promise<boolean> {
    const call = toolbox.calls.find(id);
    call?.cancel();
    await call?.result;
    return call !== undefined;
  }

  /** Cancels a call that this replica runs, or one that waits for approval and whose replica has stopped. */
  async function cancelOwn(id: string): Promise<boolean> {
    // It may start between the two.
    return (await cancelHere(id)) || (await cancelWaiting(id)) || cancelHere(id);
  }

  /** Cancels a call on another replica, however long its end takes. */
  async function cancelOn(replica: string | undefined, id: string): Promise<boolean | undefined> {
    const asked = replica === undefined ? undefined : fleet.request(replica, 'calls.cancel', { id });
    const answer = await asked?.catch(() => undefined);
    return answer && answer.cancelled === true;
  }

  fleet.handle('calls.has', async ({ id }) => ({ has: toolbox.calls.find(String(id)) !== undefined }));
  fleet.handle('calls.cancel', async ({ id }) => ({ cancelled: await cancelOwn(String(id)) }));
  fleet.handle('calls.read-result', async ({ id, offset, length }) => {
    const page = toolbox.calls.readResult(String(id), Number(offset), Number(length));
    return { page: (page as JsonObject | undefined) ?? null };
  });
  fleet.handle('calls.find-result', async ({ id, caller }) => {
    const found = toolbox.calls.results.findHere(String(id), String(caller));
    return { found: (found as JsonObject | undefined) ?? null };
  });
  return {
    findReplica,
    async readResult(id, offset, length) {
      const here = toolbox.calls.readResult(id, offset, length);
      if (here) return here;
      const found = await fleet.find('calls.read-result', { id, offset, length }, ({ page }) => page !== null);
      return found?.result.page as ResultPage | undefined;
    },
    async cancel(id) {
      if (await cancelOwn(id)) return true;
      const isCancelled = await cancelOn(await findReplica(id), id);
      if (isCancelled !== undefined) return isCancelled;
      // A call that is not recorded yet, or that another replica took over, may be on any replica.
      const holder = await fleet.find('calls.has', { id }, ({ has }) => has === true);
      return (await cancelOn(holder?.replica, id)) ?? cancelOwn(id);
    },
  };
}

/** The result of a reference that another replica stores. */
export async function findResultElsewhere(fleet: Fleet, id: string, caller: string): Promise<StoredResult | undefined> {
  const answer = await fleet.find('calls.find-result', { id, caller }, ({ found }) => found !== null);
  return answer?.result.found as StoredResult | undefined;
}
