import type { JsonObject } from '../../../contract/json.ts';

/** Sends items one insert after the other, which keeps their order. Items that wait meanwhile are sent together. */
export function createItemSender(send: (items: readonly JsonObject[]) => Promise<unknown>, signal: AbortSignal) {
  let unsent: JsonObject[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (unsent.length > 0 && !signal.aborted) {
      const items = unsent;
      unsent = [];
      await send(items);
    }
  }

  return {
    add(item: JsonObject): void {
      unsent.push(item);
      sending ??= sendAll().finally(() => {
        sending = undefined;
      });
      // The answer is not sent either then, and reports the failure.
      sending.catch(() => {});
    },
    async sent(): Promise<void> {
      await sending;
      await sendAll();
    },
  };
}
