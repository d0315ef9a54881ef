import type { Config, ServerSpec } from '../../contract/settings/config.ts';
import { diffServers } from '../config/diff-config.ts';

/** The names of servers that a new configuration added, removed and changed. */
export interface AppliedConfig {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * Compares the servers of two configurations. `put` has those that must be connected: added ones, changed ones, and servers whose
 * plugins were replaced.
 */
export function compareServers(
  before: Config,
  after: Config,
  isReplaced: (server: ServerSpec) => boolean,
): { readonly applied: AppliedConfig; readonly put: readonly ServerSpec[] } {
  const { added, removed, changed: different, unchanged } = diffServers(before, after);
  const changed = [...different, ...unchanged.filter(isReplaced)];
  const names = (specs: readonly ServerSpec[]) => specs.map(({ name }) => name);
  const applied = { added: names(added), removed: names(removed), changed: names(changed) };
  return { applied, put: [...added, ...changed] };
}
