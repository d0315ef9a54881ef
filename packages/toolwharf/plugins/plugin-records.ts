import { ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { issueText } from '../kernel/standard-schema.ts';
import type { OpenPluginRecords, PluginRecord, Stored } from '../storage/ports/record-store.ts';
import type { Plugin, PluginRecordKind, PluginRecords } from './plugin.ts';

const maxIdLength = 200;
const maxRecordLength = 256 * 1024;

/** The records of each kind that a plugin declares. */
export function openPluginRecords(
  { name, records = {} }: Pick<Plugin, 'name' | 'records'>,
  open: OpenPluginRecords,
): Readonly<Record<string, PluginRecords>> {
  const kinds = Object.entries(records).map(([kind, type]) => [
    kind,
    openKind(`${name}/${kind}`, type, open(name, kind, type)),
  ]);
  return Object.freeze(Object.fromEntries(kinds));
}

function openKind(what: string, { schema }: PluginRecordKind, store: ReturnType<OpenPluginRecords>): PluginRecords {
  return {
    list: () => store.list(),
    get: (id) => store.get(id),
    async put(item, revision) {
      const checked = await check(item);
      return revision === undefined ? store.put(checked) : store.replace(checked, revision);
    },
    remove: (id, revision) => store.remove(id, revision),
  };

  async function check(item: PluginRecord): Promise<PluginRecord> {
    const { revision: _, ...content } = item as Stored<PluginRecord>;
    const result = schema ? await schema['~standard'].validate(content) : { value: content };
    if (result.issues) throw invalid(result.issues.map(issueText).join('; '));
    const { value } = result;
    if (!isObject(value) || typeof value.id !== 'string' || value.id === '' || value.id.length > maxIdLength)
      throw invalid(`it needs an id of 1 to ${maxIdLength} characters`);
    if (JSON.stringify(value).length > maxRecordLength)
      throw invalid(`it is longer than ${maxRecordLength} characters`);
    return value as unknown as PluginRecord;
  }

  function invalid(problem: string): ToolwharfError {
    return new ToolwharfError('REQUEST_INVALID', `A record of ${what} cannot be stored: ${problem}`);
  }
}

/** Records of plugins that end with the process. */
export function createMemoryPluginRecords(): OpenPluginRecords {
  const kinds = new Map<string, Map<string, Stored<PluginRecord>>>();
  return (plugin, kind) => {
    const name = `${plugin}/${kind}`;
    const items = kinds.get(name) ?? new Map<string, Stored<PluginRecord>>();
    kinds.set(name, items);
    const copy = (item: Stored<PluginRecord> | undefined) => item && structuredClone(item);
    const replace = async (item: PluginRecord, revision: number) => {
      if ((items.get(item.id)?.revision ?? 0) !== revision) return undefined;
      items.set(item.id, structuredClone({ ...item, revision: revision + 1 }));
      return copy(items.get(item.id));
    };
    return {
      list: async () =>
        [...items.values()].sort((one, other) => (one.id < other.id ? -1 : 1)).map((item) => structuredClone(item)),
      get: async (id) => copy(items.get(id)),
      put: async (item) => (await replace(item, items.get(item.id)?.revision ?? 0)) as Stored<PluginRecord>,
      replace,
      remove: async (id, revision) =>
        (revision === undefined || items.get(id)?.revision === revision) && items.delete(id),
    };
  };
}
