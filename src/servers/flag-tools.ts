import type { CatalogDifference, CatalogEntry } from '../catalog/catalog.ts';
import { evictOldest } from '../kernel/evict-oldest.ts';
import type { Log } from '../kernel/log.ts';
import { type DefinitionFinding, isSuspicious, scanDefinition } from '../policy/scan-definition.ts';
import { indexNames, type NameIndex } from '../policy/scan-definition-names.ts';

/** A tool with a suspicious definition. */
export interface FlaggedTool {
  /** The exposed name. */
  readonly tool: string;
  readonly server: string;
  readonly definitionHash: string;
  readonly findings: readonly DefinitionFinding[];
}

export interface ToolFlagsOptions {
  readonly entries: () => readonly CatalogEntry[];
  readonly log: Log;
  readonly onFlagged: (flagged: FlaggedTool) => void;
}

/** Flags tools with suspicious definitions. It only warns: pins and approval protect. */
export interface ToolFlags {
  /** Scans tools that were added or changed and reports suspicious ones, once per definition. */
  note(difference: CatalogDifference): void;
  /** The findings for a tool. Local tools are not scanned. */
  of(entry: CatalogEntry): readonly DefinitionFinding[];
}

const maxTold = 10_000;

export function createToolFlags({ entries, log, onFlagged }: ToolFlagsOptions): ToolFlags {
  let scanned = new WeakMap<CatalogEntry['definition'], readonly DefinitionFinding[]>();
  let names: NameIndex | undefined;
  const told = new Set<string>();

  function of({ server, definition }: CatalogEntry): readonly DefinitionFinding[] {
    if (server === undefined) return [];
    const known = scanned.get(definition);
    if (known) return known;
    names ??= indexNames(entries().map(({ originalName }) => originalName));
    const findings = scanDefinition(definition, { names });
    scanned.set(definition, findings);
    return findings;
  }

  function tell(entry: CatalogEntry): void {
    const { name, originalName, server = '', serverAddress, definitionHash } = entry;
    const findings = of(entry);
    const key = JSON.stringify([serverAddress, originalName, definitionHash]);
    if (!isSuspicious(findings) || told.has(key)) return;
    told.add(key);
    // Bounded: a server could change its definitions for ever.
    evictOldest(told, maxTold);
    const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ');
    log.warning(
      'catalog.tool-flagged',
      `Tool '${originalName}' of MCP server '${server}' has a suspicious definition (${rules}): look at it before it is used`,
      { server, tool: originalName },
    );
    onFlagged({ tool: name, server, definitionHash, findings });
  }

  return {
    note({ added, removed, changed }) {
      // Whether a name looks like another depends on the other names.
      if (added.length + removed.length > 0) {
        names = undefined;
        scanned = new WeakMap();
      }
      const news = new Set([...added, ...changed]);
      for (const entry of entries()) if (news.has(entry.name)) tell(entry);
    },
    of,
  };
}
