import { type FSWatcher, watch } from 'node:fs';
import type { PinStore } from '../catalog/pins.ts';
import { createSkillCatalog } from '../catalog/skill-catalog.ts';
import type { Connection } from '../connections/connection.ts';
import {
  createReader,
  createRecordedWatch,
  type InternalReadOptions,
  type ReaderPorts,
} from '../invocation/read-content.ts';
import { createSearchRecorder } from '../invocation/record-search.ts';
import { messageOf } from '../kernel/errors.ts';
import type { AnswerSearch, RecordedSearch } from '../kernel/tool.ts';
import { createServerContent } from './server-content.ts';
import type { ServerSet } from './server-set.ts';
import { createSkillFlags } from './skills/flag-skills.ts';
import { createSkillFolders } from './skills/skill-folders.ts';
import { createToolboxSkills, listedSkills } from './skills/toolbox-skills.ts';

export interface ToolboxContentPorts extends Omit<ReaderPorts, 'send' | 'isOfSkill'> {
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
  const read = createReader({ ...ports, send: content.request, isOfSkill: (...file) => skills.isOfSkill(...file) });
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
    catalog.setLocal(await folders.load(paths));
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
      watch: createRecordedWatch(content.resources.watch, ports),
    },
    prompts: {
      ...content.prompts,
      get: (server: string, name: string, args: Readonly<Record<string, string>> = {}, options?: InternalReadOptions) =>
        read({ kind: 'prompt', server, params: { name, arguments: args } }, options),
    },
    skills,
  };

  return {
    content,
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
    /** Loads the skills of these folders instead of those before. Rejects if one cannot be read. */
    async setFolders(next: readonly string[]): Promise<void> {
      const definitions = await folders.load(next);
      const isKnown = paths.length === 0 && next.length === 0;
      paths = next;
      catalog.setLocal(definitions);
      stopWatching();
      if (ports.watch) watchers = next.flatMap(watchFolder);
      if (!isKnown) onSkills();
    },
    close: stopWatching,
  };
}
