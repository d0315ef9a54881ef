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
   * Starts to decide which tools get a suffix; the returned function decides one tool after the other. Decisions are stored
   * if `final`; until then the order of the tools counts, not the order in which servers connect. `reserved` holds the
   * names that administrators gave to tools, by the key of the tool.
   */
  startAssignment(options: {
    readonly final: boolean;
    readonly reserved?: ReadonlyMap<string, string>;
  }): (claim: NameClaim) => boolean;
  /** Frees the names of tools that cannot come back. */
  release(isGone: (id: ToolId) => boolean): void;
  /** The same owners, which can change without changing these. */
  copy(): NameOwners;
}

type Decisions = ReadonlyMap<string, { readonly id: ToolId; readonly suffixed: boolean }>;

/** No names are owned yet, except those of earlier decisions. */
export function createNameOwners(earlier: Decisions = new Map(), earlierNames: Iterable<string> = []): NameOwners {
  const decisions = new Map(earlier);
  const owned = new Set(earlierNames);

  return {
    startAssignment({ final, reserved }) {
      const tentative = new Set<string>();
      return ({ id, suffixed }) => {
        const key = toolKey(id);
        const known = decisions.get(key);
        if (known) return known.suffixed;
        const names = joinedNames(id);
        const isTaken = (name: string) =>
          owned.has(name) || tentative.has(name) || (reserved?.get(name) ?? key) !== key;
        const needsSuffix = suffixed === true || names.some(isTaken);
        if (final) decisions.set(key, { id, suffixed: needsSuffix });
        if (!needsSuffix) for (const name of names) (final ? owned : tentative).add(name);
        return needsSuffix;
      };
    },
    release(isGone) {
      for (const [key, { id, suffixed }] of decisions) {
        if (!isGone(id)) continue;
        decisions.delete(key);
        if (!suffixed) for (const name of joinedNames(id)) owned.delete(name);
      }
    },
    copy: () => createNameOwners(decisions, owned),
  };
}
