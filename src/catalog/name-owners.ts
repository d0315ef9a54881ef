import { type ToolId, toolKey } from '../kernel/tool-id.ts';
import { joinedNames } from './name-tools.ts';

/** A tool that asks for its name. */
export interface NameClaim {
  readonly id: ToolId;
  /** An earlier decision, or an earlier owner that is not here now, makes the tool take a suffix. */
  readonly suffixed?: boolean;
}

/** Which tool owns which joined name. A name that was given stays with its tool; the tool that comes later gets a suffix. */
export interface NameOwners {
  /**
   * Whether each tool, by its key, gets a suffix. Tools without a decision are decided in the order given. Decisions are kept
   * if `final`; until then the order of the list counts, not the order in which servers connect.
   */
  assign(claims: readonly NameClaim[], options: { readonly final: boolean }): ReadonlyMap<string, boolean>;
  /** Frees the names of tools that can not come back. */
  release(isGone: (id: ToolId) => boolean): void;
}

export function createNameOwners(): NameOwners {
  const decisions = new Map<string, { readonly id: ToolId; readonly suffixed: boolean }>();
  const owned = new Set<string>();

  return {
    assign(claims, { final }) {
      const assigned = new Map<string, boolean>();
      const tentative = new Set<string>();
      for (const { id, suffixed } of claims) {
        const key = toolKey(id);
        const known = decisions.get(key);
        if (known) {
          assigned.set(key, known.suffixed);
          continue;
        }
        const names = joinedNames(id);
        const needsSuffix = suffixed === true || names.some((name) => owned.has(name) || tentative.has(name));
        assigned.set(key, needsSuffix);
        if (final) decisions.set(key, { id, suffixed: needsSuffix });
        if (!needsSuffix) for (const name of names) (final ? owned : tentative).add(name);
      }
      return assigned;
    },
    release(isGone) {
      for (const [key, { id, suffixed }] of decisions) {
        if (!isGone(id)) continue;
        decisions.delete(key);
        if (!suffixed) for (const name of joinedNames(id)) owned.delete(name);
      }
    },
  };
}
