import type { Pin, PinStore } from '../../catalog/pins.ts';

/** Pins that last as long as the process. */
export function createMemoryPins(): PinStore {
  const pins = new Map<string, Pin>();
  const keyOf = (serverAddress: string, tool: string) => JSON.stringify([serverAddress, tool]);
  return {
    get: async (serverAddress, tool) => pins.get(keyOf(serverAddress, tool)),
    set: async (pin) => void pins.set(keyOf(pin.serverAddress, pin.tool), pin),
    list: async () => [...pins.values()],
  };
}
