import type { Fleet } from '../../fleet/fleet.ts';
import type { InternalToolbox } from '../../toolbox.ts';

/** The running calls of all replicas. */
export interface SharedCalls {
  /** Cancels a call and waits for its end. Returns false if it has ended already. */
  cancel(id: string): Promise<boolean>;
}

export function shareCalls(toolbox: Pick<InternalToolbox, 'calls'>, fleet: Fleet): SharedCalls {
  async function cancelHere(id: string): Promise<boolean> {
    const call = toolbox.calls.find(id);
    if (!call) return false;
    call.cancel();
    await call.result;
    return true;
  }

  fleet.handle('calls.cancel', async ({ id }) => ({ cancelled: await cancelHere(String(id)) }));
  return {
    async cancel(id) {
      if (await cancelHere(id)) return true;
      return (await fleet.gather('calls.cancel', { id })).some(({ result }) => result.cancelled === true);
    },
  };
}
