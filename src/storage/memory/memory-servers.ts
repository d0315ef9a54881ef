import type { ServerRecord } from '../../config/server-record.ts';
import type { ServerStore } from '../../servers/server-store.ts';
import { nameTaken } from '../name-taken.ts';

/** Servers that are known as long as the process lasts. */
export function createMemoryServers(): ServerStore {
  const records = new Map<string, ServerRecord>();
  return {
    async list() {
      return structuredClone([...records.values()].sort((one, other) => compare(one.name, other.name)));
    },
    async get(id) {
      return structuredClone(records.get(id));
    },
    async put(record) {
      for (const { id, name } of records.values()) if (name === record.name && id !== record.id) throw nameTaken(name);
      records.set(record.id, structuredClone(record));
    },
    async remove(id) {
      return records.delete(id);
    },
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
