import { isDeepStrictEqual } from 'node:util';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import { type Clock, isoTime } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { createKeyedMutex } from '../kernel/mutex.ts';
import { type SkillDefinition, type SkillFile, skillRoot, uriKey } from '../kernel/skill.ts';
import type { Pin, PinStore } from './pins.ts';
import { diffSkills, type SkillEntry, skillHash } from './skill-entry.ts';

export interface SkillCatalogOptions {
  readonly pins: PinStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A file of a skill. `file` is undefined in a skill that does not list its files. */
export interface LocatedFile {
  readonly entry: SkillEntry;
  readonly file?: SkillFile;
}

/** All skills that are known now: those of local folders, then those of the servers. */
export interface SkillCatalog {
  readonly entries: readonly SkillEntry[];
  /** Finds a skill by the URI of its `SKILL.md` and its server; undefined for local folders. */
  find(server: string | undefined, uri: string): SkillEntry | undefined;
  /** Finds the file with this URI and the innermost skill that contains it. Finds no file that its skill does not list. */
  locate(server: string | undefined, uri: string): LocatedFile | undefined;
  /** True if the server has listed its skills. */
  hasServer(server: string): boolean;
  /** True if a URI of this server is in the folder of a skill. */
  isInSkill(server: string, uri: string): boolean;
  /** Registers the skills of a server and compares them with their pins. Resolves with false if nothing changed. */
  setServer(spec: ServerSpec, offered: readonly SkillDefinition[]): Promise<boolean>;
  removeServer(server: string): void;
  setLocal(definitions: readonly SkillDefinition[]): void;
  /** Makes the changed skill with this hash the accepted one; false if there is no such change. */
  accept(server: string, uri: string, hash: string): Promise<boolean>;
}

/** An empty catalog of skills. */
export function createSkillCatalog({ pins, clock, log }: SkillCatalogOptions): SkillCatalog {
  /** The skills of each server by the folder of the skill, and those of local folders under undefined. */
  const groups = new Map<string | undefined, ReadonlyMap<string, SkillEntry>>();
  const perServer = createKeyedMutex();
  let all: readonly SkillEntry[] | undefined;

  function set(server: string | undefined, entries: readonly SkillEntry[]): void {
    all = undefined;
    groups.set(server, new Map(entries.map((entry) => [skillRoot(entry.definition.uri) ?? '', entry])));
  }

  /** The innermost skill whose folder contains this URI. */
  function enclosing(server: string | undefined, key: string): SkillEntry | undefined {
    const group = groups.get(server);
    for (let end = key.lastIndexOf('/'); group && end > 0; end = key.lastIndexOf('/', end - 1)) {
      const entry = group.get(key.slice(0, end));
      if (entry) return entry;
    }
    return undefined;
  }

  async function toEntry(
    { name: server, onChange }: ServerSpec,
    serverAddress: string,
    definition: SkillDefinition,
    pinned: { readonly hash: string } | undefined,
  ): Promise<SkillEntry> {
    const definitionHash = skillHash(definition);
    const isDifferent = pinned !== undefined && pinned.hash !== definitionHash;
    const entry = { server, serverAddress, definition, definitionHash };
    // Nobody can accept content that may be different in every read.
    if (onChange === 'allow' || (!isDifferent && definition.resources !== 'dynamic')) return entry;
    const changed = onChange === 'quarantine' ? 'quarantine' : 'ask';
    const pin = isDifferent ? await pins.get(serverAddress, definition.uri) : undefined;
    if (!pin) return { ...entry, changed };
    const changes = diffSkills(pin.definition as SkillDefinition, definition);
    return { ...entry, changed, changes, accepted: { hash: pin.hash, at: pin.acceptedAt } };
  }

  async function update(spec: ServerSpec, offered: readonly SkillDefinition[]): Promise<boolean> {
    const serverAddress = toServerAddress(spec);
    const pinned = await pins.readHashes(serverAddress);
    const before = groups.get(spec.name);
    const entries: SkillEntry[] = [];
    const newPins: Pin[] = [];
    for (const definition of unique(offered, spec.name, log)) {
      const pin = pinned.get(definition.uri);
      const entry = await toEntry(spec, serverAddress, definition, pin);
      entries.push(entry);
      if (!pin || (pin.hash !== entry.definitionHash && !entry.changed)) newPins.push(toPin(entry, serverAddress));
      const earlier = before?.get(skillRoot(definition.uri) ?? '');
      if (entry.accepted && earlier?.definitionHash !== entry.definitionHash) logChange(entry);
    }
    if (newPins.length > 0) await pins.setAll(newPins);
    if (before && isDeepStrictEqual([...before.values()], entries)) return false;
    set(spec.name, entries);
    return true;
  }

  function toPin({ definition, definitionHash: hash }: SkillEntry, serverAddress: string): Pin {
    return { serverAddress, tool: definition.uri, hash, definition, acceptedAt: isoTime(clock.now()) };
  }

  function logChange({ server, changed, definition: { uri } }: SkillEntry): void {
    const consequence =
      changed === 'quarantine' ? 'it is not usable until the change is accepted' : 'the next read asks first';
    log.warning('catalog.skill-changed', `Skill '${uri}' of MCP server '${server}' changed: ${consequence}`, {
      server,
      skill: uri,
    });
  }

  function find(server: string | undefined, uri: string): SkillEntry | undefined {
    return groups.get(server)?.get(skillRoot(uri) ?? '');
  }

  async function accept(server: string, uri: string, hash: string): Promise<boolean> {
    const entry = find(server, uri);
    const { serverAddress, accepted, definitionHash } = entry ?? {};
    if (!entry || !accepted || serverAddress === undefined || definitionHash !== hash) return false;
    await pins.setAll([toPin(entry, serverAddress)]);
    const isDynamic = entry.definition.resources === 'dynamic';
    const { changes: _changes, accepted: _accepted, changed, ...rest } = entry;
    const settled: SkillEntry = isDynamic ? { ...rest, changed } : rest;
    set(
      server,
      [...(groups.get(server)?.values() ?? [])].map((one) => (one === entry ? settled : one)),
    );
    return true;
  }

  return {
    get entries() {
      all ??= [
        ...(groups.get(undefined)?.values() ?? []),
        ...[...groups].flatMap(([server, group]) => (server === undefined ? [] : [...group.values()])),
      ];
      return all;
    },
    find,
    locate(server, uri) {
      const key = uriKey(uri);
      const entry = key === undefined ? undefined : enclosing(server, key);
      if (!entry) return undefined;
      const { resources } = entry.definition;
      if (resources === 'dynamic') return { entry };
      const file = resources.find((one) => uriKey(one.uri) === key);
      return file && { entry, file };
    },
    hasServer: (server) => groups.has(server),
    isInSkill(server, uri) {
      const key = uriKey(uri);
      return key !== undefined && enclosing(server, key) !== undefined;
    },
    setServer: (spec, offered) => perServer.run(spec.name, () => update(spec, offered)),
    removeServer(server) {
      all = undefined;
      groups.delete(server);
    },
    setLocal(definitions) {
      set(
        undefined,
        definitions.map((definition) => ({ definition, definitionHash: skillHash(definition) })),
      );
    },
    accept: (server, uri, hash) => perServer.run(server, () => accept(server, uri, hash)),
  };
}

/** The skills whose URI the server lists once. A client could not say which of several it means. */
function unique(offered: readonly SkillDefinition[], server: string, log: Log): readonly SkillDefinition[] {
  const byRoot = Map.groupBy(offered, ({ uri }) => skillRoot(uri));
  return [...byRoot.values()].flatMap((same) => {
    const [first] = same;
    if (same.length === 1 || !first) return same;
    const message = `Server '${server}' lists skill '${first.uri}' ${same.length} times: none of them is used`;
    log.warning('catalog.skill-repeated', message, { server, skill: first.uri });
    return [];
  });
}
