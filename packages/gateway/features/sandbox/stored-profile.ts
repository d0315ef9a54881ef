import type { SandboxList } from '../../../contract/settings/choices.ts';
import type { PluginRecords } from '../../../toolwharf/plugins/plugin.ts';
import type { PluginRecord } from '../../../toolwharf/storage/ports/record-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { SandboxProfile } from './profile.ts';

/** What is stored about the sandbox of a server, under its name. */
export interface SandboxRecord extends PluginRecord {
  /** The hash of the command that was started last. */
  readonly program?: string;
  readonly accepted?: AcceptedProfile;
  /** Hosts that a person has denied for ever. */
  readonly denied: readonly string[];
  readonly learning?: Learning;
  /** Newest first. */
  readonly blocked: readonly BlockedAccess[];
}

/** A profile that a person has accepted for one program. */
export interface AcceptedProfile {
  readonly profile: SandboxProfile;
  /** The hash of its command; undefined if none had been started. */
  readonly program?: string;
  readonly at: string;
  readonly by: string;
}

/** What the program of a server has used since it began to learn. */
export interface Learning {
  readonly since: string;
  /** The settings asked for it, and end it; otherwise a person did. */
  readonly bySettings?: boolean;
  readonly hosts: readonly { readonly host: string; readonly at: string }[];
}

/** A host or a path that a program wanted. */
export interface BlockedAccess {
  readonly list: SandboxList;
  readonly entry: string;
  readonly at: string;
  readonly tool?: string;
  readonly reason: string;
}

export const pluginName = 'toolwharf.sandbox';
export const recordKind = 'profiles';

const maxBlocked = 20;

/** The records of one gateway, or of a toolbox. */
export interface SandboxRecords {
  get(server: string): Promise<SandboxRecord>;
  /** Changes the record, again if another process has changed it meanwhile. */
  change(server: string, change: (record: SandboxRecord) => SandboxRecord): Promise<SandboxRecord>;
}

export function createSandboxRecords(records: PluginRecords): SandboxRecords {
  async function read(server: string) {
    const { revision = 0, ...record } = ((await records.get(server)) ?? {}) as Partial<
      SandboxRecord & { revision: number }
    >;
    return { revision, record: { id: server, denied: [], blocked: [], ...record } };
  }
  return {
    get: async (server) => (await read(server)).record,
    async change(server, change) {
      for (;;) {
        const { revision, record } = await read(server);
        const changed = change(record);
        if (await records.put(changed, revision)) return changed;
      }
    },
  };
}

/** The same records, for routes. */
export function openSandboxRecords({ openPluginRecords }: Pick<Storage, 'openPluginRecords'>): SandboxRecords {
  const store = openPluginRecords(pluginName, recordKind, {});
  return createSandboxRecords({
    list: store.list,
    get: store.get,
    put: (item, revision = 0) => store.replace(item, revision),
    remove: store.remove,
  });
}

export function addBlocked(record: SandboxRecord, blocked: BlockedAccess): SandboxRecord {
  const others = record.blocked.filter(
    ({ list, entry, tool }) => list !== blocked.list || entry !== blocked.entry || tool !== blocked.tool,
  );
  return { ...record, blocked: [blocked, ...others].slice(0, maxBlocked) };
}
