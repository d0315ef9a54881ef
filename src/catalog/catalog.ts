import type { Dialect, Naming, ServerSpec, ToolLimits } from '../config/config.ts';
import { findParamHeaders, type ParamHeader } from '../connections/param-headers.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createMutex } from '../kernel/mutex.ts';
import type { ToolAnnotations, ToolDefinition } from '../kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from '../kernel/tool-id.ts';
import { type DefinitionChange, diffDefinitions } from './definition-diff.ts';
import { definitionHash } from './definition-hash.ts';
import type { LocalTool } from './local-tool.ts';
import { createNameOwners } from './name-owners.ts';
import { findRivals, nameTools } from './name-tools.ts';
import type { Pin, PinStore } from './pins.ts';
import { type RegisteredTool, registerTools, strictViolation, type ToolSettings } from './register-tools.ts';

/** A tool as the toolbox knows it. Server and original name identify it. */
export interface CatalogEntry {
  /** The exposed name in the toolbox's naming. */
  readonly name: string;
  /** Another tool owns the exposed name without a suffix. */
  readonly suffixed?: boolean;
  /** What patterns over tools are read against. */
  readonly scope: NamingScope;
  /** The name the server, or the program, gave it. */
  readonly originalName: string;
  readonly server?: string;
  readonly serverAddress?: string;
  readonly serverTrusted: boolean;
  readonly definition: ToolDefinition;
  readonly annotations?: ToolAnnotations;
  readonly definitionHash: string;
  readonly limits: ToolLimits;
  /** The definition is not the accepted one: it may not run, or only after asking. */
  readonly changed?: 'quarantine' | 'ask';
  readonly changes?: readonly DefinitionChange[];
  readonly paramHeaders: readonly ParamHeader[];
  readonly local?: LocalTool;
}

/** What an update did, in exposed names. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface CatalogOptions {
  readonly naming: () => Naming;
  /** Configured servers, the longest configured first. */
  readonly servers: () => readonly ServerSpec[];
  readonly toolSettings: () => ToolSettings;
  /** For messages that say where to configure a tool. */
  readonly dialect: () => Dialect;
  readonly pins: PinStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChanged: (difference: CatalogDifference, server?: string) => void;
}

/** All tools that are known now. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  /** By exposed name, or by id. */
  find(tool: string | ToolId): CatalogEntry | undefined;
  /** Registers a server's tools. During the start, unknown tools of a strict server reject; later they are left out. */
  setServer(spec: ServerSpec, offered: readonly ToolDefinition[], facts?: ServerFacts): Promise<void>;
  removeServer(server: string): void;
  setLocal(entries: readonly UnnamedEntry[]): void;
  /** Makes a changed definition the accepted one. */
  accept(tool: string | ToolId): Promise<boolean>;
  /** Ends the start: from here on every name stays with its tool while the tool's server is configured. */
  settleNames(): Promise<void>;
}

/** The names that a pattern can refer to. */
export interface NamingScope {
  readonly naming: Naming;
  /** Configured servers, the longest configured first. */
  readonly servers: readonly string[];
  readonly localTools: ReadonlySet<string>;
}

export interface ServerFacts {
  /** The server is reached over modern HTTP, where schemas may ask for arguments in headers. */
  readonly usesParamHeaders?: boolean;
  /** The toolbox is still starting: a strict server's unknown tools stop it. */
  readonly starting?: boolean;
}

export type UnnamedEntry = Omit<CatalogEntry, 'name' | 'scope'>;

/** An empty catalog. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { log, pins } = options;
  const groups = new Map<string, { entries: UnnamedEntry[]; seen: ReadonlySet<string> }>();
  let locals: readonly UnnamedEntry[] = [];
  let entries: readonly CatalogEntry[] = [];
  let byName = new Map<string, CatalogEntry>();
  let byKey = new Map<string, CatalogEntry>();
  const nameOwners = createNameOwners();
  let isSettled = false;
  // Tools that were first seen during the start: among those the order of the servers decides who owns a name.
  const firstSeen = new Set<string>();
  const reportedCollisions = new Set<string>();
  // Of two lists read in a row, the second must win.
  const oneAtATime = createMutex();

  function rename(server?: string): void {
    const configured = options.servers().map(({ name }) => name);
    const others = [...groups.keys()].filter((name) => !configured.includes(name));
    const servers = [...configured, ...others];
    const known = new Set(servers);
    const naming = options.naming();
    const localTools = new Set(locals.map(({ originalName }) => originalName));
    const scope: NamingScope = { naming, servers: configured, localTools };
    nameOwners.release((id) => (id.server === undefined ? !localTools.has(id.tool) : !known.has(id.server)));
    const unnamed = [...locals, ...servers.flatMap((name) => groups.get(name)?.entries ?? [])];
    const claims = unnamed.map((entry) => ({ id: toolIdOf(entry), suffixed: entry.suffixed }));
    const suffixed = nameOwners.assign(claims, { final: isSettled });
    const claimed = unnamed.map((entry) => ({ ...entry, scope, suffixed: suffixed.get(toolKey(toolIdOf(entry))) }));
    const { named, collisions } = nameTools(claimed, naming);
    const before = byName;
    entries = named;
    byName = new Map(named.map((entry) => [entry.name, entry]));
    byKey = new Map(named.map((entry) => [toolKey(toolIdOf(entry)), entry]));
    for (const { name, owners } of collisions) {
      const key = JSON.stringify([name, owners]);
      if (reportedCollisions.has(key)) continue;
      reportedCollisions.add(key);
      const list = owners.map((owner) => `'${owner}'`).join(', ');
      log.warning('catalog.collision', `Tool name '${name}' is offered by ${list}; the last one registered is used`, {
        tool: name,
      });
    }
    const difference = compare(before, byName);
    if (difference.added.length + difference.removed.length + difference.changed.length > 0)
      options.onChanged(difference, server);
  }

  async function toEntry(
    spec: ServerSpec,
    { definition, limits }: RegisteredTool,
    { usesParamHeaders }: ServerFacts,
  ): Promise<UnnamedEntry | undefined> {
    const headers = usesParamHeaders ? findParamHeaders(definition.inputSchema) : noHeaders;
    if (!headers.ok) {
      const what = `Server '${spec.name}' offers tool '${definition.name}', which is left out: ${headers.reason}`;
      log.warning('catalog.tool-unusable', what, { server: spec.name, tool: definition.name });
      return undefined;
    }
    const serverAddress = toServerAddress(spec);
    const hash = definitionHash(definition);
    const pin = await pins.get(serverAddress, definition.name);
    const id = { server: spec.name, tool: definition.name };
    const suffixed = pin ? pin.suffixed : await isNameReserved(id);
    if (!pin && !isSettled) firstSeen.add(toolKey(id));
    if (!pin || (pin.hash !== hash && spec.onChange === 'allow'))
      await accept(serverAddress, definition, hash, suffixed);
    const isChanged = pin !== undefined && pin.hash !== hash && spec.onChange !== 'allow';
    if (isChanged) {
      const consequence =
        spec.onChange === 'quarantine' ? 'it is not usable until the change is accepted' : 'the next call asks first';
      log.warning(
        'catalog.definition-changed',
        `Tool '${definition.name}' of MCP server '${spec.name}' changed: ${consequence}`,
        {
          server: spec.name,
          tool: definition.name,
        },
      );
    }
    return {
      originalName: definition.name,
      suffixed,
      server: spec.name,
      serverAddress,
      serverTrusted: spec.trusted,
      definition,
      annotations: definition.annotations,
      definitionHash: hash,
      limits,
      changed: isChanged ? (spec.onChange as 'quarantine' | 'ask') : undefined,
      changes: isChanged ? diffDefinitions(pin.definition, definition) : undefined,
      paramHeaders: headers.headers,
    };
  }

  /** Whether a tool of another configured server had the name before, also one whose server is not connected now. */
  async function isNameReserved(id: ToolId): Promise<true | undefined> {
    const specs = new Map(options.servers().map((spec) => [spec.name, spec]));
    for (const rival of findRivals(id, [...specs.keys()])) {
      const spec = specs.get(rival.server ?? '');
      if (!spec || firstSeen.has(toolKey(rival))) continue;
      const pin = await pins.get(toServerAddress(spec), rival.tool);
      if (pin && !pin.suffixed) return true;
    }
    return undefined;
  }

  async function accept(
    serverAddress: string,
    definition: ToolDefinition,
    hash: string,
    suffixed: Pin['suffixed'],
  ): Promise<void> {
    const acceptedAt = new Date(options.clock.now()).toISOString();
    await pins.set({ serverAddress, tool: definition.name, hash, definition, acceptedAt, suffixed });
  }

  /** Pins remember who came later, so that names stay where they are across a restart. */
  async function pinSuffixes(): Promise<void> {
    for (const { suffixed, serverAddress, originalName } of entries) {
      if (!suffixed || serverAddress === undefined) continue;
      const pin = await pins.get(serverAddress, originalName);
      if (pin && !pin.suffixed) await pins.set({ ...pin, suffixed: true });
    }
  }

  async function update(spec: ServerSpec, offered: readonly ToolDefinition[], facts: ServerFacts): Promise<void> {
    const before = groups.get(spec.name);
    const settings = options.toolSettings();
    const outcome = registerTools(spec, offered, settings, before);
    for (const { level, event, message } of outcome.logs) log[level](event, message, { server: spec.name });
    if (outcome.missing.length > 0 && facts.starting) {
      throw strictViolation(
        spec,
        outcome.missing,
        settings.configs.map((config) => config.name),
        options.dialect(),
      );
    }
    // `registerTools` logs those that come later; these were there when the server was first seen.
    for (const tool of before ? [] : outcome.missing) {
      const message = `Tool '${tool}' of MCP server '${spec.name}' is not configured in the toolbox, not registering it (mode is strict)`;
      log.warning('catalog.tool-refused', message, { server: spec.name, tool });
    }
    const made = await Promise.all(outcome.registered.map((tool) => toEntry(spec, tool, facts)));
    groups.set(spec.name, { entries: made.filter((entry) => entry !== undefined), seen: outcome.seen });
    rename(spec.name);
    if (isSettled) await pinSuffixes();
  }

  function find(tool: string | ToolId): CatalogEntry | undefined {
    return typeof tool === 'string' ? byName.get(tool) : byKey.get(toolKey(tool));
  }

  return {
    get entries() {
      return entries;
    },
    find,

    setServer: (spec, offered, facts = {}) => oneAtATime(() => update(spec, offered, facts)),

    removeServer(server) {
      groups.delete(server);
      rename(server);
    },

    setLocal(next) {
      locals = next;
      rename();
    },

    async settleNames() {
      isSettled = true;
      firstSeen.clear();
      rename();
      await pinSuffixes();
    },

    async accept(tool) {
      const entry = find(tool);
      if (!entry?.changed || entry.server === undefined || entry.serverAddress === undefined) return false;
      await accept(entry.serverAddress, entry.definition, entry.definitionHash, entry.suffixed || undefined);
      const group = groups.get(entry.server);
      if (!group) return false;
      const accepted = (candidate: UnnamedEntry) =>
        candidate.originalName === entry.originalName && candidate.definitionHash === entry.definitionHash;
      group.entries = group.entries.map((candidate) => {
        if (!accepted(candidate)) return candidate;
        const { changed: _changed, changes: _changes, ...plain } = candidate;
        return plain;
      });
      rename(entry.server);
      return true;
    },
  };
}

const noHeaders = { ok: true, headers: [] } as const;

function compare(
  before: ReadonlyMap<string, CatalogEntry>,
  after: ReadonlyMap<string, CatalogEntry>,
): CatalogDifference {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [name, entry] of after) {
    const old = before.get(name);
    if (!old) added.push(name);
    else if (
      old.definitionHash !== entry.definitionHash ||
      old.server !== entry.server ||
      old.originalName !== entry.originalName ||
      old.changed !== entry.changed
    )
      changed.push(name);
  }
  return { added, changed, removed: [...before.keys()].filter((name) => !after.has(name)) };
}
