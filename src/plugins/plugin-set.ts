import { readFile } from 'node:fs/promises';
import type { LocalTool } from '../catalog/local-tool.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { PluginEntry } from '../config/plugin-config.ts';
import { configError, type Finding, formatPath } from '../config/problems.ts';
import type { Environment } from '../config/references.ts';
import type { OpenPluginTransport } from '../connections/session.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { Events } from '../kernel/events.ts';
import type { Log } from '../kernel/log.ts';
import type { AskPlugins } from '../policy/approval.ts';
import type { ReviewCall } from '../policy/review.ts';
import type { ToolboxEvents } from '../servers/toolbox-events.ts';
import { createAskPlugins } from './ask-approvers.ts';
import { createExportQueue, type ExportQueue } from './export-queue.ts';
import { checkPlugin, checkTransports, loadPlugin, parseOptions } from './load-plugin.ts';
import type { ExportedEvent, ExportedEventName, ExportedItem, Plugin, PluginTransport } from './plugin.ts';
import { createReview } from './review-calls.ts';
import { runInTime } from './run-in-time.ts';

/** A plugin in use. */
export interface PluginInfo {
  readonly name: string;
  /** The package or path of a plugin of the configuration; undefined for one of the program. */
  readonly module?: string;
  /** Its parts: `policy`, `approver`, `exporter`, `tools`, and `transport NAME` for each transport. */
  readonly parts: readonly string[];
  /** For an exporter: the number of items that it took, and of items dropped because it was too slow or failed. */
  readonly exported?: number;
  readonly dropped?: number;
}

export interface PluginSetOptions {
  /** The plugins of the program, before those of the configuration. */
  readonly ofProgram?: readonly Plugin[];
  readonly env: Environment;
  readonly log: Log;
}

/** The plugins of a toolbox. */
export interface PluginSet {
  /**
   * Loads the plugins of a configuration. They are in use once `accept` has resolved, which gets their local tools. Rejects if a
   * plugin cannot be loaded or `accept` rejects; the plugins before then stay in use.
   */
  apply<Value>(
    loaded: LoadedConfig,
    accept: (tools: readonly LocalTool[]) => Promise<Value>,
  ): Promise<{ readonly accepted: Value; readonly replacedTransports: ReadonlySet<string> }>;
  review(): ReviewCall | undefined;
  askPlugins(): AskPlugins | undefined;
  readonly openTransport: OpenPluginTransport;
  /** Passes an item to all exporters. */
  export(item: () => ExportedItem): void;
  list(): readonly PluginInfo[];
  close(): Promise<void>;
}

interface Used {
  readonly plugin: Plugin;
  /** Undefined for a plugin of the program. */
  readonly entry?: PluginEntry;
  /** Equal if the plugin need not be loaded again. */
  readonly key: string;
  readonly queue?: ExportQueue;
}

// A map, so that the type requires every name.
const exportedEvents: Readonly<Record<ExportedEventName, true>> = {
  'server.changed': true,
  'catalog.changed': true,
  'tool.flagged': true,
  'content.changed': true,
  'approval.asked': true,
  'approval.answered': true,
  'profiles.changed': true,
  'config.applied': true,
  'config.refused': true,
};

const closeMs = 5_000;

export function createPluginSet({ ofProgram = [], env, log }: PluginSetOptions): PluginSet {
  let used: readonly Used[] = [];
  let review: ReviewCall | undefined;
  let askPlugins: AskPlugins | undefined;
  let queues: readonly ExportQueue[] = [];
  let transports: ReadonlyMap<string, PluginTransport> = new Map();

  function use(plugin: Plugin, key: string, entry?: PluginEntry): Used {
    const { name, exporter } = plugin;
    return { plugin, key, entry, queue: exporter && createExportQueue({ plugin: name, exporter, log }) };
  }

  function programPlugins(): readonly Used[] {
    return ofProgram.map((plugin, index) => {
      const known = used.find((candidate) => candidate.plugin === plugin);
      if (known) return known;
      try {
        return use(checkPlugin(plugin, `plugin ${index} of the program`), `program ${index}`);
      } catch (cause) {
        throw new ToolwharfError('CONFIG_INVALID', `Invalid plugin: ${messageOf(cause)}`, { cause });
      }
    });
  }

  /** The plugins of a configuration, and a problem for each that cannot be loaded. */
  async function loadAll(entries: readonly PluginEntry[], problems: Finding[]): Promise<readonly Used[]> {
    const loading = entries.map(async (entry, index) => {
      try {
        const key = hashOf([entry, await contentOf(entry)]);
        const known = used.find((candidate) => candidate.key === key);
        return known ?? use(await loadPlugin(entry, { env, log }), key, entry);
      } catch (cause) {
        // The message has the cause already.
        problems.push({ path: ['plugins', index], message: (cause as Error).message });
        return undefined;
      }
    });
    return (await Promise.all(loading)).filter((plugin) => plugin !== undefined);
  }

  async function load(loaded: LoadedConfig): Promise<readonly Used[]> {
    const problems: Finding[] = [];
    const found = [...programPlugins(), ...(await loadAll(loaded.config.plugins, problems))];
    if (problems.length === 0) {
      const pathOf = (plugin: Used) => ['plugins', ...(plugin.entry ? [found.indexOf(plugin) - ofProgram.length] : [])];
      problems.push(...duplicateNames(found, pathOf));
      problems.push(...(await checkTransports(found, loaded.config.servers, pathOf, { env, log })));
    }
    if (problems.length === 0) return found;
    await closeAll(found.filter((plugin) => !used.includes(plugin)));
    throw toError(loaded, problems);
  }

  async function closeAll(closed: readonly Used[]): Promise<void> {
    await Promise.all(
      closed.map(async ({ plugin, queue }) => {
        await queue?.close();
        await runInTime(() => plugin.close?.(), closeMs).catch((cause) => {
          const message = `Plugin '${plugin.name}' could not be closed: ${messageOf(cause)}`;
          log.warning('plugin.not-closed', message, { plugin: plugin.name });
        });
      }),
    );
  }

  function commit(next: readonly Used[]): void {
    const plugins = next.map(({ plugin }) => plugin);
    used = next;
    review = createReview(
      plugins.flatMap(({ name, policy }) => (policy ? { name, policy } : [])),
      { log },
    );
    askPlugins = createAskPlugins(
      plugins.flatMap(({ name, approver }) => (approver ? { name, approver } : [])),
      log,
    );
    queues = next.flatMap(({ queue }) => queue ?? []);
    transports = transportsOf(next);
  }

  return {
    async apply(loaded, accept) {
      const next = await load(loaded);
      const isNew = (plugin: Used) => !used.includes(plugin);
      try {
        const accepted = await accept(next.flatMap(({ plugin }) => plugin.tools ?? []));
        const left = used.filter((plugin) => !next.includes(plugin));
        const replacedTransports = new Set(transportsOf(left).keys());
        for (const { plugin } of next.filter(isNew))
          log.info('plugin.loaded', `Plugin '${plugin.name}' is in use`, { plugin: plugin.name });
        commit(next);
        await closeAll(left);
        return { accepted, replacedTransports };
      } catch (cause) {
        await closeAll(next.filter(isNew));
        throw cause;
      }
    },
    review: () => review,
    askPlugins: () => askPlugins,
    async openTransport(name, options, context) {
      const transport = transports.get(name);
      if (!transport) throw new Error(`No plugin has the transport '${name}'`);
      return transport.open((await parseOptions(transport, options)) as never, context);
    },
    export(item) {
      if (queues.length === 0) return;
      const exported = item();
      for (const queue of queues) queue.add(exported);
    },
    list: () => used.map(toInfo),
    async close() {
      const closed = used;
      commit([]);
      await closeAll(closed);
    },
  };
}

/** The names of the transports that plugins of the program add. */
export function transportNames(plugins: readonly Plugin[] = []): readonly string[] {
  return plugins.flatMap(({ transports = {} }) => Object.keys(transports));
}

/** Passes ended calls and events to the exporters of plugins. */
export function exportEvents(events: Pick<Events<ToolboxEvents>, 'on'>, plugins: Pick<PluginSet, 'export'>): void {
  events.on('call.changed', (call) => {
    if (call.completedAt !== undefined) plugins.export(() => ({ type: 'call', call }));
  });
  for (const name of Object.keys(exportedEvents) as ExportedEventName[]) {
    events.on(name, (event) => {
      const data = 'error' in event ? { message: event.error.message } : event;
      plugins.export(() => ({ type: 'event', name, at: new Date().toISOString(), data }) as ExportedEvent);
    });
  }
}

function toInfo({ plugin, entry, queue }: Used): PluginInfo {
  const { name, policy, approver, exporter, transports = {}, tools = [] } = plugin;
  const parts = Object.entries({ policy, approver, exporter, tools: tools[0] }).filter(
    ([, part]) => part !== undefined,
  );
  return {
    name,
    module: entry?.module,
    parts: [...parts.map(([part]) => part), ...Object.keys(transports).map((transport) => `transport ${transport}`)],
    ...queue?.counts,
  };
}

function transportsOf(used: readonly Used[]): ReadonlyMap<string, PluginTransport> {
  return new Map(used.flatMap(({ plugin }) => Object.entries(plugin.transports ?? {})));
}

/** The content of a module that is a file: a changed file is loaded again. Loading reports a file that cannot be read. */
async function contentOf({ file }: PluginEntry): Promise<string | null> {
  return file === undefined ? null : readFile(file, 'utf8').catch(() => null);
}

/** The journal names an approver by its plugin, so that names must be unique. */
function duplicateNames(used: readonly Used[], pathOf: (plugin: Used) => Finding['path']): readonly Finding[] {
  return used
    .filter(({ plugin }, index) => used.findIndex((other) => other.plugin.name === plugin.name) < index)
    .map((plugin) => ({ path: pathOf(plugin), message: `there is another plugin named '${plugin.plugin.name}'` }));
}

function toError({ toError: ofFile, file }: LoadedConfig, problems: readonly Finding[]): ToolwharfError {
  if (ofFile) return ofFile(problems);
  return configError(
    problems.map(({ path, atKey: _, ...problem }) => ({ ...problem, path: formatPath(path) })),
    file,
  );
}
