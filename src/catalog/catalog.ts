import { isDeepStrictEqual } from 'node:util';
import type { Dialect, Naming } from '../config/choices.ts';
import type { ServerSpec } from '../config/config.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createKeyedMutex } from '../kernel/mutex.ts';
import { mapInSlices } from '../kernel/slices.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { type ToolId, toolIdOf, toolKey } from '../kernel/tool-id.ts';
import type { CatalogEntry, NamingScope, ServerFacts, UnnamedEntry } from './catalog-entry.ts';
import { createNameOwners } from './name-owners.ts';
import { findRivals, type NameCollision, nameTools } from './name-tools.ts';
import { type CatalogDifference, compareTools, indexTools, noTools, withoutServer } from './named-tools.ts';
import type { PinStore } from './pins.ts';
import { registerTools, strictViolation, type ToolSettings } from './register-tools.ts';
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
  /** The server's tools can not be found from now on; resolves when the other tools have their names. */
  removeServer(server: string): Promise<void>;
  setLocal(entries: readonly UnnamedEntry[]): Promise<void>;
  /** Replaces all overrides. Resolves when they apply. */
  setOverrides(overrides: readonly ToolOverride[]): Promise<void>;
  /** Rejects a name that another tool has. `isPlain`: names without a server are in use. */
  assertNameFree(override: ToolOverride, isPlain: boolean): void;
  /** Makes a changed definition the accepted one. */
  accept(tool: string | ToolId): Promise<boolean>;
  /** Ends the start: from here on every name stays with its tool while the tool's server is configured. */
  settleNames(): Promise<void>;
}

/** A tool that is to be named. */
type Claimed = Omit<CatalogEntry, 'name'>;

interface ServerTools {
  readonly entries: readonly UnnamedEntry[];
  /** The names that the server offered, including those that are not registered. */
  readonly seen: ReadonlySet<string>;
}

/** An empty catalog. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { log, pins } = options;
  const groups = new Map<string, ServerTools>();
  // Counts the removals of each server: a list that was read before a removal must not bring its tools back.
  const removals = new Map<string, number>();
  const nameOwners = createNameOwners();
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
    nextNaming ??= lastNaming.then(() => {
      nextNaming = undefined;
      const run = nameAll();
      lastNaming = run.catch(() => {});
      return run;
    });
    return nextNaming;
  }

  async function nameAll(): Promise<void> {
    const configured = options.servers().map(({ name }) => name);
    const others = [...groups.keys()].filter((name) => !configured.includes(name));
    const servers = [...configured, ...others];
    const known = new Set(servers);
    const changedBy = causes;
    causes = new Set();
    removedMeanwhile = new Set();
    scope = updateScope(scope, {
      naming: options.naming(),
      servers: configured,
      localTools: new Set(locals.map(({ originalName }) => originalName)),
    });
    const { naming, localTools } = scope;
    nameOwners.release((id) => (id.server === undefined ? !localTools.has(id.tool) : !known.has(id.server)));
    const unnamed = [...locals, ...servers.flatMap((name) => groups.get(name)?.entries ?? [])];
    const needsSuffix = nameOwners.startAssignment({ final: isSettled, reserved: reserveNames(overrides) });
    const applied = overrides;
    const enabled: Claimed[] = [];
    const switchedOff: Claimed[] = [];
    await mapInSlices(unnamed, (entry) => {
      const id = toolIdOf(entry);
      const override = applied.get(toolKey(id));
      const claimed = { ...entry, scope, suffixed: needsSuffix({ id, suffixed: entry.suffixed }) };
      if (!override) enabled.push(claimed);
      else (override.enabled ? enabled : switchedOff).push({ ...claimed, ...applyOverride(entry, override) });
    });
    const { named, collisions } = await nameTools(enabled, naming);
    reportCollisions(collisions);
    const { named: disabled } = await nameTools(switchedOff, naming);
    const indexed = await indexTools(named, disabled);
    current = [...removedMeanwhile].reduce(withoutServer, indexed);
    const difference = await compareTools(announced, indexed.byName);
    announced = indexed.byName;
    if (difference.added.length + difference.removed.length + difference.changed.length === 0) return;
    const [cause] = changedBy;
    options.onChanged(difference, changedBy.size === 1 ? cause : undefined);
  }

  function reportCollisions(collisions: readonly NameCollision[]): void {
    for (const { name, owners } of collisions) {
      const key = JSON.stringify([name, owners]);
      if (reportedCollisions.has(key)) continue;
      reportedCollisions.add(key);
      const list = owners.map((owner) => `'${owner}'`).join(', ');
      log.warning('catalog.collision', `Tool name '${name}' is offered by ${list}; the last one registered is used`, {
        tool: name,
      });
    }
  }

  /** Finds out whether a name is reserved for a tool of another server, also one whose server is not connected now. */
  function createReservations(): (id: ToolId) => Promise<boolean> {
    const specs = new Map(options.servers().map((spec) => [spec.name, spec]));
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

  async function update(
    spec: ServerSpec,
    offered: readonly ToolDefinition[],
    facts: ServerFacts,
    removalsAtCall: number,
  ): Promise<void> {
    const before = groups.get(spec.name);
    const settings = options.toolSettings();
    const { registered, missing, logs, seen } = await registerTools(spec, offered, settings, before);
    await mapInSlices(logs, ({ level, event, message }) => log[level](event, message, { server: spec.name }));
    if (missing.length > 0 && facts.starting) {
      const configured = settings.configs.map((config) => config.name);
      throw strictViolation(spec, missing, configured, options.dialect());
    }
    // `registerTools` logs those that come later; these were there when the server was first seen.
    await mapInSlices(before ? [] : missing, (tool) => {
      const message = `Tool '${tool}' of MCP server '${spec.name}' is not configured in the toolbox, not registering it (mode is strict)`;
      log.warning('catalog.tool-refused', message, { server: spec.name, tool });
    });
    const now = () => new Date(options.clock.now()).toISOString();
    const ports = { pins, log, now, isNameReserved: createReservations() };
    const { entries, newPins } = await toEntries(spec, registered, before?.entries ?? [], facts, ports);
    if (newPins.length > 0) await pins.setAll(newPins);
    if (removalsOf(spec.name) !== removalsAtCall) return;
    groups.set(spec.name, { entries, seen });
    if (before && isSameList(before.entries, entries)) return;
    await assignNames(spec.name);
    if (isSettled) await pinSuffixes();
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
    if (!entry?.changed || server === undefined || serverAddress === undefined || !definition || !hash) return false;
    const acceptedAt = new Date(options.clock.now()).toISOString();
    const suffixed = entry.suffixed || undefined;
    await pins.setAll([{ serverAddress, tool: entry.originalName, hash, definition, acceptedAt, suffixed }]);
    const group = groups.get(server);
    if (!group) return false;
    const entries = group.entries.map((candidate) => {
      if (candidate.originalName !== originalName || candidate.definitionHash !== hash) return candidate;
      return { ...candidate, changed: undefined, changes: undefined, accepted: undefined };
    });
    groups.set(server, { ...group, entries });
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

    async removeServer(server) {
      removals.set(server, removalsOf(server) + 1);
      if (!groups.delete(server)) return;
      current = withoutServer(current, server);
      removedMeanwhile.add(server);
      await assignNames(server);
    },

    async setLocal(next) {
      locals = next;
      await assignNames();
    },

    async setOverrides(next) {
      overrides = indexOverrides(next);
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
