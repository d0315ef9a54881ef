import { type FSWatcher, watch } from 'node:fs';
import { messageOf } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { PinStore } from '../catalog/pins.ts';
import { createSkillCatalog } from '../catalog/skill-catalog.ts';
import type { Connection } from '../connections/connection.ts';
import type { ChooseAccount } from '../invocation/dispatch.ts';
import {
  createReader,
  createRecordedWatch,
  type InternalReadOptions,
  type ReaderPorts,
  type WatchPorts,
} from '../invocation/read-content.ts';
import { createSearchRecorder } from '../invocation/record-search.ts';
import type { AnswerSearch, RecordedSearch } from '../kernel/internal-source.ts';
import { createServerContent } from './server-content.ts';
import type { ServerSet } from './server-set.ts';
import { createSkillFlags } from './skills/flag-skills.ts';
import { createSkillFolders } from './skills/skill-folders.ts';
import { createToolboxSkills, listedSkills } from './skills/toolbox-skills.ts';

export interface ToolboxContentPorts extends Pick<ReaderPorts, 'start'>, Omit<WatchPorts, 'isOfSkill'> {
  readonly chooseAccount?: ChooseAccount;
  readonly servers: Pick<ServerSet, 'get' | 'all'>;
  readonly pins: PinStore;
  /** The skills of a server changed, or those of local folders if undefined. */
  readonly onSkills: (server?: string) => void;
  /** Loads local folders of skills again when they change; false. */
  readonly watch?: boolean;
}

const debounceMs = 200;

/** The resources, prompts and skills of a toolbox: lists, and reads that are authorized and recorded. Also records searches. */
export function createToolboxContent(ports: ToolboxContentPorts) {
  const { servers, pins, clock, log, onSkills } = ports;
  const content = createServerContent(servers.get, servers.all, (server, caller) =>
    ports.chooseAccount?.(server, { id: '', caller, host: {}, signal: new AbortController().signal }),
  );
  const readPorts = { ...ports, isOfSkill: (server: string, uri: string) => skills.isOfSkill(server, uri) };
  const read = createReader(readPorts);
  const catalog = createSkillCatalog({ pins, clock, log });
  const folders = createSkillFolders({ log });
  const flags = createSkillFlags({ log });
  let paths: readonly string[] = [];
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const skills = createToolboxSkills({
    catalog,
    folders,
    flags,
    findConnection: servers.get,
    read,
    reload,
    onChanged: onSkills,
  });

  async function reload(): Promise<void> {
    const loaded = await folders.load(paths);
    loaded.use();
    catalog.setLocal(loaded.definitions);
    onSkills();
  }

  function reloadLater(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reload().catch((cause) => log.warning('skills.not-loaded', messageOf(cause)));
    }, debounceMs).unref();
  }

  function stopWatching(): void {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  function watchFolder(folder: string): readonly FSWatcher[] {
    try {
      const watcher = watch(folder, { recursive: true, persistent: false }, reloadLater);
      return [watcher.on('error', reloadLater)];
    } catch (cause) {
      log.warning('skills.not-watched', `Changes in ${folder} need a restart: ${messageOf(cause)}`, { folder });
      return [];
    }
  }

  const recordSearch = createSearchRecorder(ports);
  const api = {
    recordSearch: async (search: RecordedSearch, answerSearch: AnswerSearch) =>
      (await recordSearch(search, answerSearch)).answer,
    resources: {
      ...content.resources,
      read: (server: string, uri: string, options?: InternalReadOptions) =>
        skills.isOfSkill(server, uri)
          ? skills.readFile(server, uri, options)
          : read({ kind: 'resource', server, params: { uri } }, options),
      watch: createRecordedWatch(content.resources.watch, readPorts),
    },
    prompts: {
      ...content.prompts,
      get: (server: string, name: string, args?: Readonly<Record<string, string>>, options?: InternalReadOptions) =>
        read({ kind: 'prompt', server, params: { name, ...(args && { arguments: args }) } }, options),
    },
    skills,
  };

  /** Completes an argument of a prompt or resource template. */
  function complete(server: string, params: JsonObject, options?: InternalReadOptions): Promise<JsonObject> {
    const kind = isObject(params.ref) && params.ref.type === 'ref/prompt' ? 'prompt' : 'resource';
    return read({ kind, method: 'completion/complete', server, params }, options);
  }

  return {
    content,
    complete,
    api,
    /** A server's skills were read, or their pins changed. */
    async register(connection: Connection): Promise<void> {
      const { spec } = connection;
      if (servers.get(spec.name) !== connection || !connection.lists.get('skills')) return;
      const isChanged = await catalog.setServer(spec, listedSkills(connection));
      if (servers.get(spec.name) !== connection) return catalog.removeServer(spec.name);
      if (isChanged) onSkills(spec.name);
      await flags.scanListed(catalog.entries.filter(({ server }) => server === spec.name));
    },
    removeServer: catalog.removeServer,
    /** Loads the skills of these folders, which replace those before when they are used. Rejects if one cannot be read. */
    async prepareFolders(next: readonly string[]) {
      const loaded = await folders.load(next);
      const isKnown = paths.length === 0 && next.length === 0;
      return {
        use() {
          paths = next;
          loaded.use();
          catalog.setLocal(loaded.definitions);
          stopWatching();
          if (ports.watch) watchers = next.flatMap(watchFolder);
        },
        /** After `use`. */
        announce() {
          if (!isKnown) onSkills();
        },
      };
    },
    close: stopWatching,
  };
}
