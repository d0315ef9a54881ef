import type { Config, ServerSpec } from '../config/config.ts';
import { diffServers } from '../config/diff-config.ts';
import type { ServerSet } from './server-set.ts';

/** The names of servers that a new configuration added, removed and changed. */
export interface AppliedConfig {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * Applies a new configuration server by server: only changed servers reconnect, and servers whose transport comes from a plugin
 * that was replaced.
 */
export async function applyConfig(
  servers: ServerSet,
  before: Config,
  after: Config,
  replacedTransports: ReadonlySet<string> = new Set(),
): Promise<AppliedConfig> {
  const { added, removed, changed: different, unchanged } = diffServers(before, after);
  const isReplaced = ({ target }: ServerSpec) => target.transport === 'plugin' && replacedTransports.has(target.name);
  const changed = [...different, ...unchanged.filter(isReplaced)];
  await Promise.all([
    ...removed.map((spec) => servers.remove(spec.name)),
    // A server of the file replaces one of the same name that was added while running.
    ...[...added, ...changed].map((spec) => servers.replace(spec)),
  ]);
  const names = (specs: readonly { readonly name: string }[]) => specs.map((spec) => spec.name);
  return { added: names(added), removed: names(removed), changed: names(changed) };
}
