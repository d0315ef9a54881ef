import type { CatalogDifference, CatalogEntry } from '../catalog/catalog.ts';
import { evictOldest } from '../kernel/evict-oldest.ts';
import type { Log } from '../kernel/log.ts';
import { type DefinitionFinding, isSuspicious, scanDefinition } from '../policy/scan-definition.ts';
import { indexNames, type NameIndex } from '../policy/scan-definition-names.ts';

/** A tool whose definition has something in it that a person should look at. */
export interface FlaggedTool {
  /** The agent's name of it. */
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

/** Which tools have suspicious definitions. It flags; that nothing bad comes of it is up to pins and approval. */
export interface ToolFlags {
  /** Looks at the tools that came or changed, and tells of suspicious ones, once for each definition. */
  note(difference: CatalogDifference): void;
  /** What is suspicious about a tool. A tool of the program itself is never looked at. */
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
    // A server that never stops changing must not fill our memory.
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
      // Whether a name looks like another depends on which others there are.
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
