import type { Fleet } from '../../fleet/fleet.ts';
import type { ResultPage } from '../../invocation/large-results.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { InternalToolbox } from '../../toolbox.ts';

/** The running calls of all replicas. */
export interface SharedCalls {
  /** Cancels a call and waits for its end. Returns false if it has ended already. */
  cancel(id: string): Promise<boolean>;
  /** A page of a truncated result; undefined if no replica has it. */
  readResult(id: string, offset: number, length: number): Promise<ResultPage | undefined>;
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
  fleet.handle('calls.read-result', async ({ id, offset, length }) => {
    const page = toolbox.calls.readResult(String(id), Number(offset), Number(length));
    return { page: (page as JsonObject | undefined) ?? null };
  });
  return {
    async readResult(id, offset, length) {
      const here = toolbox.calls.readResult(id, offset, length);
      if (here) return here;
      const answers = await fleet.gather('calls.read-result', { id, offset, length });
      return answers.map(({ result }) => result.page as ResultPage | null).find((page) => page !== null) ?? undefined;
    },
    async cancel(id) {
      if (await cancelHere(id)) return true;
      return (await fleet.gather('calls.cancel', { id })).some(({ result }) => result.cancelled === true);
    },
  };
}
