import type { ChangeReaction } from '../../contract/settings/choices.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { pathInSkill, type SkillDefinition } from '../kernel/skill.ts';
import { type DefinitionChange, diffParts } from './definition-diff.ts';

/** A skill as the toolbox knows it. Server and URI identify it. */
export interface SkillEntry {
  /** Undefined for a skill of a local folder. */
  readonly server?: string;
  readonly serverAddress?: string;
  readonly definition: SkillDefinition;
  /** The hash of everything that an acceptance covers: the frontmatter, and the digest of every file. */
  readonly definitionHash: string;
  /** The skill is not the accepted one, or cannot be verified: reads are denied or need approval. */
  readonly changed?: ChangeReaction;
  readonly changes?: readonly DefinitionChange[];
  /** The accepted skill's hash and time, if the skill is not the accepted one. */
  readonly accepted?: { readonly hash: string; readonly at: string };
}

/** The parts of a skill that are compared: `_meta` often changes, and no model reads it. */
function comparedParts({ uri, frontmatter, resources }: SkillDefinition): Readonly<Record<string, unknown>> {
  if (resources === 'dynamic') return { frontmatter, files: resources };
  const files = resources.map(({ uri: file, digest, size }) => [pathInSkill(uri, file) ?? file, { digest, size }]);
  return { frontmatter, files: Object.fromEntries(files) };
}

/** SHA-256 of a skill in hex, independent of the order of keys and files. */
export function skillHash(definition: SkillDefinition): string {
  return hashOf(['skill', definition.uri, comparedParts(definition)]);
}

/** Lists the differences between two versions of a skill, with its files by their paths. */
export function diffSkills(before: SkillDefinition, after: SkillDefinition): DefinitionChange[] {
  return diffParts(comparedParts(before), comparedParts(after), ['frontmatter', 'files']);
}
