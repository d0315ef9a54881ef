import { createMatcher } from '../../contract/match-globs.ts';
import type { Config } from '../../contract/settings/config.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { createLargeResults, type LargeResults } from './large-results.ts';
import type { FindResult } from './references.ts';

/** The results of a toolbox that callers get truncated or by reference. */
export interface Results {
  readonly store: LargeResults;
  /** Finds the result of a reference, on this replica or another one. */
  readonly find: FindResult;
  /** Whether the results of a tool are secret. */
  isSecret(tool: CatalogEntry): boolean;
}

export interface ResultsOptions {
  readonly config: () => Pick<Config, 'gateway' | 'toolbox'>;
  /** Finds the result of a reference on other replicas. */
  readonly findElsewhere?: FindResult;
}

export function createResults({ config, findElsewhere }: ResultsOptions): Results {
  const store = createLargeResults({
    limits() {
      const { maxStoredResultBytes: total, maxStoredResultBytesPerCaller: perCaller } = config().gateway.limits;
      return { total, perCaller };
    },
  });
  let patterns: readonly string[] = [];
  let matches = createMatcher(patterns);
  return {
    store,
    find: async (id, caller) => store.find(id, caller) ?? (await findElsewhere?.(id, caller)),
    isSecret({ server = 'local', originalName }) {
      const { secretResults } = config().toolbox;
      if (secretResults !== patterns) matches = createMatcher(secretResults);
      patterns = secretResults;
      if (patterns.length === 0) return false;
      return matches(`${server}/${originalName}`);
    },
  };
}
