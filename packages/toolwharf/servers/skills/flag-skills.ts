import type { SkillEntry } from '../../catalog/skill-entry.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import { escapePointerToken } from '../../kernel/json-pointer.ts';
import type { Log } from '../../kernel/log.ts';
import { skillLimits } from '../../kernel/skill.ts';
import { createSlice } from '../../kernel/slices.ts';
import { type DefinitionFinding, isSuspicious, scanSkill, scanSkillText } from '../../policy/scan-definition.ts';

/** Flags skills with suspicious texts. It only warns: pins and approval protect. Skills of local folders are not scanned. */
export interface SkillFlags {
  /** Scans what servers list of these skills. The extension forbids to read the files before they are needed. */
  scanListed(entries: readonly SkillEntry[]): Promise<void>;
  /** Scans a file that was read. */
  scanFile(entry: SkillEntry, path: string, text: string): Promise<void>;
  /** All findings so far. */
  findingsOf(entry: SkillEntry): readonly DefinitionFinding[];
}

const maxSkills = 10_000;

export function createSkillFlags({ log }: { readonly log: Log }): SkillFlags {
  /** The findings of each version of a skill, by where they are: in what its server lists, or in a file. */
  const found = new Map<string, Map<string, readonly DefinitionFinding[]>>();

  async function scan(
    { server, serverAddress, definition, definitionHash }: SkillEntry,
    where: string,
    run: () => DefinitionFinding[] | Promise<DefinitionFinding[]>,
  ): Promise<void> {
    if (server === undefined) return;
    const key = JSON.stringify([serverAddress, definitionHash]);
    const places = found.get(key) ?? new Map<string, readonly DefinitionFinding[]>();
    // Generated files may be different in every read.
    if (places.has(where) && definition.resources !== 'dynamic') return;
    const findings = await run();
    found.set(key, places.set(where, findings));
    // Bounded: a server could change its skills without end.
    evictOldest(found, maxSkills);
    evictOldest(places, skillLimits.files + 1);
    if (!isSuspicious(findings)) return;
    const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ');
    const { uri } = definition;
    const message = `Skill '${uri}' of MCP server '${server}' has suspicious texts (${rules}): review it before you use it`;
    log.warning('catalog.skill-flagged', message, { server, skill: uri });
  }

  return {
    async scanListed(entries) {
      const slice = createSlice();
      for (const entry of entries) {
        await scan(entry, '', () => scanSkill(entry.definition));
        if (slice.isOver()) await slice.next();
      }
    },
    scanFile(entry, path, text) {
      const where = `/files/${escapePointerToken(path)}`;
      return scan(entry, where, () => scanSkillText(text, where));
    },
    findingsOf({ serverAddress, definitionHash }) {
      const places = found.get(JSON.stringify([serverAddress, definitionHash]));
      return [...(places?.values() ?? [])].flat();
    },
  };
}
