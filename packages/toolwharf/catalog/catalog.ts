import { isDeepStrictEqual } from 'node:util';
import { messageOf, type ToolwharfError } from '../../contract/errors.ts';
import type { Dialect, Naming } from '../../contract/settings/choices.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import { evictOldest } from '../kernel/evict-oldest.ts';
import { createHeldLog, type Log } from '../kernel/log.ts';
import { createKeyedMutex } from '../kernel/mutex.ts';
import { mapInSlices } from '../kernel/slices.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from '../kernel/tool-id.ts';
import type { CatalogEntry, NamingScope, ServerFacts, UnnamedEntry } from './catalog-entry.ts';
import { createNameOwners, type NameOwners } from './name-owners.ts';
import { findRivals, type NameCollision, nameTools } from './name-tools.ts';
import { type CatalogDifference, compareTools, indexTools, noTools, withoutServer } from './named-tools.ts';
import { type Pin, type PinStore, readAcceptedTools } from './pins.ts';
import { joinViolations, registerTools, strictViolation, type ToolSettings } from './register-tools.ts';
import { toEntries } from './tool-entries.ts';
import {
  applyOverride,
  assertNameFree,
  indexOverrides,
  reserveNames,
  type ToolOverride,
  type ToolOverrides,
} from './tool-overrides.ts';

export type { CatalogEntry, NamingScope, ServerFacts, UnnamedEntry } from './catalog-entry.ts';
export type { CatalogDifference } from './named-tools.ts';

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

/** All tools that are known now. Work that grows with the number of tools runs in slices. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  /** The tools that administrators switched off. They have names, but cannot be found. */
  readonly disabled: readonly CatalogEntry[];
  /** The overrides that administrators set, by the key of the tool. */
  readonly overrides: ToolOverrides;
  /** Finds a tool by its exposed name, by its name before it was renamed, or by id. */
  find(tool: string | ToolId): CatalogEntry | undefined;
  /** Registers a server's tools. During the start, unknown tools of a strict server reject; later they are left out. */
  setServer(spec: ServerSpec, offered: readonly ToolDefinition[], facts?: ServerFacts): Promise<void>;
  /** Registers the accepted tools of a server that has not listed its tools yet. */
  setPinned(spec: ServerSpec): Promise<void>;
  /** The server's tools can not be found from now on; resolves when the other tools have their names. */
  removeServer(server: string): Promise<void>;
  setLocal(entries: readonly UnnamedEntry[]): Promise<void>;
  /** Replaces all overrides. Resolves when they apply. */
  setOverrides(overrides: readonly ToolOverride[]): Promise<void>;
  /** Rejects a name that another tool has. `isPlain`: names without a server are in use. */
  assertNameFree(override: ToolOverride, isPlain: boolean): void;
  /** Makes the definition of a changed or new tool the accepted one. */
  accept(tool: string | ToolId): Promise<boolean>;
  /** Ends the start: from here on every name stays with its tool while the tool's server is configured. */
  settleNames(): Promise<void>;
  /**
   * Registers all tools under another configuration. Everything that can fail happens beside the tools in use; then `commit`
   * and the new tools take effect in one synchronous step. Rejects if a strict server offers tools that are not configured, and
   * if `commit` throws; then nothing has changed.
   */
  reconfigure(next: NextCatalog, commit: () => void): Promise<void>;
}

/** A configuration that the tools are registered under. The functions are called again if tools change meanwhile. */
export interface NextCatalog {
  readonly naming: Naming;
  readonly toolSettings: ToolSettings;
  readonly dialect: Dialect;
  /** All servers, the longest configured first. */
  readonly servers: () => readonly NextServer[];
  readonly locals: () => readonly UnnamedEntry[];
  /** Leaves out the tools that strict servers must not have, instead of rejecting; false. */
  readonly tolerant?: boolean;
}

/** A server of a configuration that is being prepared. */
export interface NextServer {
  readonly spec: ServerSpec;
  /** Undefined if the server has not listed its tools yet. */
  readonly offered?: readonly ToolDefinition[];
  readonly facts: ServerFacts;
  /** The server has another connection than before: its tools are registered as those of a new server. */
  readonly isNew: boolean;
}

/** A tool that is to be named. */
type Claimed = Omit<CatalogEntry, 'name'>;

interface ServerTools {
  readonly entries: readonly UnnamedEntry[];
  /** The names that the server offered, including those that are not registered. */
  readonly seen: ReadonlySet<string>;
  /** The names of tools that are left out because the server is strict. */
  readonly missing: readonly string[];
  /** The server has not listed its tools yet. */
  readonly isPinned?: boolean;
}

/** The tools that are to be named together. */
interface Unnamed {
  readonly groups: ReadonlyMap<string, ServerTools>;
  readonly locals: readonly UnnamedEntry[];
  readonly owners: NameOwners;
  readonly naming: Naming;
  /** Configured servers, the longest configured first. */
  readonly configured: readonly string[];
}

const maxReportedCollisions = 10_000;

/** An empty catalog. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { log, pins } = options;
  let groups = new Map<string, ServerTools>();
  // Counts the changes of the tools; what was prepared for an earlier revision is prepared again.
  let revision = 0;
  // Counts the configurations: a registration under an earlier one is repeated.
  let configuration = 0;
  // Counts the removals of each server: a list that was read before a removal must not bring its tools back.
  const removals = new Map<string, number>();
  let nameOwners = createNameOwners();
  // If a list of a server is read twice in a row, the second one must win.
  const perServer = createKeyedMutex();
  const reportedCollisions = new Set<string>();
  // Tools that were first seen during the start: among those the order of the servers decides who owns a name.
  const firstSeen = new Set<string>();
  const pinnedSuffixes = new Set<string>();
  let locals: readonly UnnamedEntry[] = [];
  let isSettled = false;
  let overrides: ToolOverrides = new Map();
  let current = noTools;
  let announced = current.byName;
  let scope: NamingScope = { naming: options.naming(), servers: [], localTools: new Set() };
  /** The servers that were changed since names were last assigned; undefined for the local tools. */
  let causes = new Set<string | undefined>();
  let removedMeanwhile = new Set<string>();
  let nextNaming: Promise<void> | undefined;
  let lastNaming: Promise<void> = Promise.resolve();

  /** Assigns names to all tools. Changes that come before it starts share one run. */
  function assignNames(cause?: string): Promise<void> {
    causes.add(cause);
    nextNaming ??= inNamingTurn(() => {
      nextNaming = undefined;
      return nameAll();
    });
    return nextNaming;
  }

  /** Names are assigned by one run at a time. */
  function inNamingTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const run = lastNaming.then(work);
    lastNaming = run.then(
      () => {},
      () => {},
    );
    return run;
  }

  async function nameAll(): Promise<void> {
    const changedBy = causes;
    causes = new Set();
    removedMeanwhile = new Set();
    const configured = options.servers().map(({ name }) => name);
    const named = await nameGroups({ groups, locals, owners: nameOwners, naming: options.naming(), configured });
    const [cause] = changedBy;
    await use(named, changedBy.size === 1 ? cause : undefined);
  }

  async function nameGroups({ groups: named, locals: unnamedLocals, owners, ...next }: Unnamed) {
    const { configured } = next;
    const others = [...named.keys()].filter((name) => !configured.includes(name));
    const servers = [...configured, ...others];
    const known = new Set(servers);
    const nextScope = updateScope(scope, {
      naming: next.naming,
      servers: configured,
      localTools: new Set(unnamedLocals.map(({ originalName }) => originalName)),
    });
    const { naming, localTools } = nextScope;
    owners.release((id) => (id.server === undefined ? !localTools.has(id.tool) : !known.has(id.server)));
    const unnamed = [...unnamedLocals, ...servers.flatMap((name) => named.get(name)?.entries ?? [])];
    const needsSuffix = owners.startAssignment({ final: isSettled, reserved: reserveNames(overrides) });
    const applied = overrides;
    const enabled: Claimed[] = [];
    const switchedOff: Claimed[] = [];
    await mapInSlices(unnamed, (entry) => {
      const id = toolIdOf(entry);
      const override = applied.get(toolKey(id));
      const claimed = { ...entry, scope: nextScope, suffixed: needsSuffix({ id, suffixed: entry.suffixed }) };
      if (!override) enabled.push(claimed);
      else (override.enabled ? enabled : switchedOff).push({ ...claimed, ...applyOverride(entry, override) });
    });
    const { named: tools, collisions } = await nameTools(enabled, naming);
    const { named: disabled } = await nameTools(switchedOff, naming);
    return { scope: nextScope, collisions, indexed: await indexTools(tools, disabled) };
  }

  /** The tools can be found under their names at once; resolves when the change has been announced. */
  async function use(named: Awaited<ReturnType<typeof nameGroups>>, cause: string | undefined): Promise<void> {
    const { indexed } = named;
    scope = named.scope;
    current = [...removedMeanwhile].reduce(withoutServer, indexed);
    reportCollisions(named.collisions);
    const difference = await compareTools(announced, indexed.byName);
    announced = indexed.byName;
    if (difference.added.length + difference.removed.length + difference.changed.length === 0) return;
    options.onChanged(difference, cause);
  }

  function setGroup(server: string, group: ServerTools | undefined): void {
    if (group) groups.set(server, group);
    else groups.delete(server);
    revision++;
  }

  function reportCollisions(collisions: readonly NameCollision[]): void {
    for (const { name, owners } of collisions) {
      const key = JSON.stringify([name, owners]);
      if (reportedCollisions.has(key)) continue;
      reportedCollisions.add(key);
      // Bounded: a server could change its names without end.
      evictOldest(reportedCollisions, maxReportedCollisions);
      const list = owners.map((owner) => `'${owner}'`).join(', ');
      log.warning('catalog.collision', `Tool name '${name}' is offered by ${list}; the last one registered is used`, {
        tool: name,
      });
    }
  }

  /** Finds out whether a name is reserved for a tool of another server, also one whose server is not connected now. */
  function createReservations(servers: readonly ServerSpec[]): (id: ToolId) => Promise<boolean> {
    const specs = new Map(servers.map((spec) => [spec.name, spec]));
    const names = [...specs.keys()];
    const hashes = new Map<string, ReturnType<PinStore['readHashes']>>();
    return async (id) => {
      if (!isSettled) firstSeen.add(toolKey(id));
      for (const rival of findRivals(id, names)) {
        const spec = specs.get(rival.server ?? '');
        if (!spec || firstSeen.has(toolKey(rival))) continue;
        const address = toServerAddress(spec);
        const reading = hashes.get(address) ?? pins.readHashes(address);
        hashes.set(address, reading);
        const pin = (await reading).get(rival.tool);
        if (pin && !pin.suffixed) return true;
      }
      return false;
    };
  }

  /** Pins record which tool came later, so that names survive a restart. */
  async function pinSuffixes(): Promise<void> {
    const later = current.entries.filter((entry) => entry.suffixed && !pinnedSuffixes.has(toolKey(toolIdOf(entry))));
    for (const [serverAddress, entries] of Map.groupBy(later, (entry) => entry.serverAddress)) {
      if (serverAddress === undefined) continue;
      await pins.setSuffixed(
        serverAddress,
        entries.map(({ originalName }) => originalName),
      );
      for (const entry of entries) pinnedSuffixes.add(toolKey(toolIdOf(entry)));
    }
  }

  /** The entries of a server's tools under these settings; changes nothing. */
  async function register(
    { spec, offered = [], facts }: Pick<NextServer, 'spec' | 'offered' | 'facts'>,
    before: ServerTools | undefined,
    { settings, servers, log: lines }: { settings: ToolSettings; servers: readonly ServerSpec[]; log: Log },
  ): Promise<ServerTools & { readonly newPins: readonly Pin[] }> {
    const listedBefore = before?.isPinned ? undefined : before;
    const { registered, missing, logs, seen } = await registerTools(spec, offered, settings, listedBefore);
    await mapInSlices(logs, ({ level, event, message }) => lines[level](event, message, { server: spec.name }));
    // `registerTools` logs those that come later; these were there when the server was first seen.
    await mapInSlices(listedBefore || facts.starting ? [] : missing, (tool) => {
      const message = `Tool '${tool}' of MCP server '${spec.name}' is not configured in the toolbox, not registering it (mode is strict)`;
      lines.warning('catalog.tool-refused', message, { server: spec.name, tool });
    });
    const now = () => new Date(options.clock.now()).toISOString();
    const { reviewsNewTools } = settings;
    const ports = { pins, log: lines, now, isNameReserved: createReservations(servers), reviewsNewTools };
    const { entries, newPins } = await toEntries(spec, registered, before?.entries ?? [], facts, ports);
    return { entries, seen, missing, newPins };
  }

  async function update(
    spec: ServerSpec,
    offered: readonly ToolDefinition[],
    facts: ServerFacts,
    removalsAtCall: number,
  ): Promise<void> {
    const before = groups.get(spec.name);
    const settings = options.toolSettings();
    const registeredUnder = configuration;
    const context = { settings, servers: options.servers(), log };
    const { newPins, ...group } = await register({ spec, offered, facts }, before, context);
    if (group.missing.length > 0 && facts.starting) {
      const configured = settings.configs.map((config) => config.name);
      throw strictViolation(spec, group.missing, configured, options.dialect());
    }
    if (newPins.length > 0) await pins.setAll(newPins);
    if (removalsOf(spec.name) !== removalsAtCall) return;
    if (registeredUnder !== configuration) return update(spec, offered, facts, removalsAtCall);
    setGroup(spec.name, group);
    if (before && isSameList(before.entries, group.entries)) return;
    await assignNames(spec.name);
    if (isSettled) await pinSuffixes();
  }

  async function registerNext(next: NextCatalog, servers: readonly NextServer[], lines: Log) {
    const specs = servers.map(({ spec }) => spec);
    const violations: ToolwharfError[] = [];
    const newPins: Pin[] = [];
    const registered = new Map<string, ServerTools>();
    for (const server of servers) {
      const { spec, offered, isNew } = server;
      const earlier = groups.get(spec.name);
      if (!offered) {
        const pinned = earlier?.isPinned && !isNew ? await registerPinned(spec, next.toolSettings) : undefined;
        if (pinned) registered.set(spec.name, pinned);
        continue;
      }
      const context = { settings: next.toolSettings, servers: specs, log: lines };
      const { newPins: pinned, ...group } = await register(server, isNew ? undefined : earlier, context);
      newPins.push(...pinned);
      registered.set(spec.name, group);
      // A tool that is left out already does not stop a change of something else.
      const added = group.missing.filter((tool) => !earlier?.missing.includes(tool));
      if (added.length === 0 || next.tolerant) continue;
      const configured = next.toolSettings.configs.map((config) => config.name);
      violations.push(strictViolation(spec, added, configured, next.dialect));
    }
    if (violations.length > 0) throw joinViolations(violations);
    if (newPins.length > 0) await pins.setAll(newPins);
    return registered;
  }

  /** False if tools have changed meanwhile: then nothing was done. */
  async function tryReconfigure(next: NextCatalog, commit: () => void, lines: Log): Promise<boolean> {
    const prepared = revision;
    const servers = next.servers();
    const nextGroups = await registerNext(next, servers, lines);
    return inNamingTurn(async () => {
      const nextLocals = next.locals();
      const owners = nameOwners.copy();
      const configured = servers.map(({ spec }) => spec.name);
      const named = await nameGroups({
        ...{ groups: nextGroups, locals: nextLocals, owners, configured },
        naming: next.naming,
      });
      if (revision !== prepared) return false;
      commit();
      const gone = [...groups.keys()].filter((name) => !nextGroups.has(name));
      const replaced = servers.filter(({ isNew }) => isNew).map(({ spec }) => spec.name);
      for (const name of new Set([...gone, ...replaced])) removals.set(name, removalsOf(name) + 1);
      groups = nextGroups;
      locals = nextLocals;
      nameOwners = owners;
      configuration++;
      revision++;
      removedMeanwhile = new Set();
      await use(named, undefined);
      return true;
    });
  }

  /** The entries of the tools that were accepted of a server which has not listed its tools yet; undefined if there are none. */
  async function registerPinned(spec: ServerSpec, settings: ToolSettings): Promise<ServerTools | undefined> {
    const offered = await readAcceptedTools(pins, spec);
    const { registered } = await registerTools(spec, offered, settings);
    if (registered.length === 0) return undefined;
    const ports = { pins, log, now: () => '', isNameReserved: async () => false };
    const { entries } = await toEntries(spec, registered, [], {}, ports);
    return { entries, seen: new Set(), missing: [], isPinned: true };
  }

  async function updatePinned(spec: ServerSpec, removalsAtCall: number): Promise<void> {
    if (groups.has(spec.name)) return;
    const registeredUnder = configuration;
    const group = await registerPinned(spec, options.toolSettings());
    if (!group || removalsOf(spec.name) !== removalsAtCall) return;
    if (registeredUnder !== configuration) return updatePinned(spec, removalsAtCall);
    setGroup(spec.name, group);
    await assignNames(spec.name);
  }

  function removalsOf(server: string): number {
    return removals.get(server) ?? 0;
  }

  function find(tool: string | ToolId): CatalogEntry | undefined {
    if (typeof tool === 'string') return current.byName.get(tool) ?? current.byFormerName.get(tool);
    return current.byKey.get(toolKey(tool));
  }

  async function accept(tool: ToolId): Promise<boolean> {
    const entry = find(tool);
    const { server, serverAddress, definitionHash: hash, originalName } = entry ?? {};
    const definition = entry?.original ?? entry?.definition;
    if (
      !(entry?.changed || entry?.isNew) ||
      server === undefined ||
      serverAddress === undefined ||
      !definition ||
      !hash
    )
      return false;
    const acceptedAt = new Date(options.clock.now()).toISOString();
    const suffixed = entry.suffixed || undefined;
    await pins.setAll([{ serverAddress, tool: entry.originalName, hash, definition, acceptedAt, suffixed }]);
    const group = groups.get(server);
    if (!group) return false;
    const entries = group.entries.map((candidate) => {
      if (candidate.originalName !== originalName || candidate.definitionHash !== hash) return candidate;
      return { ...candidate, changed: undefined, changes: undefined, accepted: undefined, isNew: undefined };
    });
    setGroup(server, { ...group, entries });
    await assignNames(server);
    return true;
  }

  return {
    get entries() {
      return current.entries;
    },
    get disabled() {
      return current.disabled;
    },
    get overrides() {
      return overrides;
    },
    find,

    setServer(spec, offered, facts = {}) {
      const removalsAtCall = removalsOf(spec.name);
      return perServer.run(spec.name, () => update(spec, offered, facts, removalsAtCall));
    },

    setPinned(spec) {
      const removalsAtCall = removalsOf(spec.name);
      return perServer.run(spec.name, () => updatePinned(spec, removalsAtCall));
    },

    async removeServer(server) {
      removals.set(server, removalsOf(server) + 1);
      if (!groups.has(server)) return;
      setGroup(server, undefined);
      current = withoutServer(current, server);
      removedMeanwhile.add(server);
      await assignNames(server);
    },

    async setLocal(next) {
      locals = next;
      revision++;
      await assignNames();
    },

    async setOverrides(next) {
      overrides = indexOverrides(next);
      revision++;
      await assignNames();
    },

    assertNameFree: (override, isPlain) =>
      assertNameFree(override, [...current.entries, ...current.disabled], overrides, isPlain),

    async settleNames() {
      isSettled = true;
      firstSeen.clear();
      await assignNames();
      await pinSuffixes();
    },

    async reconfigure(next, commit) {
      for (;;) {
        const lines = createHeldLog();
        if (!(await tryReconfigure(next, commit, lines))) continue;
        lines.writeTo(log);
        break;
      }
      // A name that is not pinned is only decided again after a restart.
      await pinSuffixes().catch((cause) => {
        log.warning('catalog.names-not-pinned', `The names of new tools could not be stored: ${messageOf(cause)}`);
      });
    },

    async accept(tool) {
      const entry = find(tool);
      if (entry?.server === undefined) return false;
      return perServer.run(entry.server, () => accept(toolIdOf(entry)));
    },
  };
}

/** The same object if nothing changed, so that entries can be compared with earlier ones. */
function updateScope(before: NamingScope, next: NamingScope): NamingScope {
  return isDeepStrictEqual(before, next) ? before : next;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
