import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogDifference, CatalogEntry } from '../catalog/catalog.ts';
import { evictOldest } from '../kernel/evict-oldest.ts';
import type { Log } from '../kernel/log.ts';
import { createSlice, mapInSlices } from '../kernel/slices.ts';
import { type DefinitionFinding, isSuspicious, scanWithIndex } from '../policy/scan-definition.ts';
import { createNameIndex, indexNames, type NameIndex } from '../policy/scan-definition-names.ts';

/** A tool with a suspicious definition. */
export interface FlaggedTool {
  /** The exposed name. */
  readonly tool: string;
  readonly server: string;
  readonly definitionHash: string;
  readonly findings: readonly DefinitionFinding[];
}

export interface ToolFlagsOptions {
  readonly catalog: { readonly entries: readonly CatalogEntry[]; find(name: string): CatalogEntry | undefined };
  readonly log: Log;
  readonly onFlagged: (flagged: FlaggedTool) => void;
}

/** Flags tools with suspicious definitions. It only warns: pins and approval protect. */
export interface ToolFlags {
  /** Scans tools that were added or changed, in slices, and reports suspicious ones once per definition. */
  scanChanges(difference: CatalogDifference): Promise<void>;
  /** The findings for a tool. Local tools are not scanned. */
  findingsOf(entry: CatalogEntry): readonly DefinitionFinding[];
}

const maxReported = 10_000;
/** How long a scan of changes waits, so that calls come first. It takes as long as all else of a first call. */
const delayMs = 200;

/** Nothing is scanned yet. */
export function createToolFlags({ catalog, log, onFlagged }: ToolFlagsOptions): ToolFlags {
  let scanned = new WeakMap<CatalogEntry['definition'], readonly DefinitionFinding[]>();
  let names: NameIndex | undefined;
  let owners: Map<string, Set<string>> | undefined;
  const reported = new Set<string>();

  function findingsOf({ server, definition: shown, original }: CatalogEntry): readonly DefinitionFinding[] {
    if (server === undefined) return [];
    // The server's own texts are scanned, also where an administrator replaced them.
    const definition = original ?? shown;
    const known = scanned.get(definition);
    if (known) return known;
    names ??= indexNames(catalog.entries.map(({ originalName }) => originalName));
    owners ??= indexOwners(catalog.entries);
    const findings = scanWithIndex(definition, { names, server, owners });
    scanned.set(definition, findings);
    return findings;
  }

  function report(entry: CatalogEntry): void {
    const { name, originalName, server = '', serverAddress, definitionHash } = entry;
    const findings = findingsOf(entry);
    if (!isSuspicious(findings)) return;
    const key = JSON.stringify([serverAddress, originalName, definitionHash]);
    if (reported.has(key)) return;
    reported.add(key);
    // Bounded: a server could change its definitions without end.
    evictOldest(reported, maxReported);
    const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ');
    log.warning(
      'catalog.tool-flagged',
      `Tool '${originalName}' of MCP server '${server}' has a suspicious definition (${rules}): review it before you use it`,
      { server, tool: originalName },
    );
    onFlagged({ tool: name, server, definitionHash, findings });
  }

  return {
    async scanChanges({ added, removed, changed }) {
      // Whether a name looks like another depends on the other names.
      if (added.length + removed.length > 0) {
        const index = createNameIndex();
        const servers = new Map<string, Set<string>>();
        await mapInSlices(catalog.entries, (entry) => {
          index.add(entry.originalName);
          addOwner(servers, entry);
        });
        names = index;
        owners = servers;
        scanned = new WeakMap();
      }
      await wait(delayMs, undefined, { ref: false });
      const slice = createSlice();
      for (const name of [...added, ...changed]) {
        const entry = catalog.find(name);
        if (entry) report(entry);
        if (slice.isOver()) await slice.next();
      }
    },
    findingsOf,
  };
}

function indexOwners(entries: readonly CatalogEntry[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const entry of entries) addOwner(owners, entry);
  return owners;
}

function addOwner(owners: Map<string, Set<string>>, { originalName, server = '' }: CatalogEntry): void {
  owners.set(originalName, (owners.get(originalName) ?? new Set()).add(server));
}
