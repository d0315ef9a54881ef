import type { Config } from '../config/config.ts';
import { diffServers } from '../config/diff-config.ts';
import type { ServerSet } from './server-set.ts';

/** What a new configuration did to the servers, by name. */
export interface AppliedConfig {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Takes a new configuration server by server: only what changed is connected again. */
export async function applyConfig(servers: ServerSet, before: Config, after: Config): Promise<AppliedConfig> {
  const { added, removed, changed } = diffServers(before, after);
  await Promise.all([
    ...removed.map((spec) => servers.remove(spec.name)),
    // One that was added while running may have the name of one that is new in the file: the file's takes its place.
    ...[...added, ...changed].map((spec) => servers.replace(spec)),
  ]);
  const names = (specs: readonly { readonly name: string }[]) => specs.map((spec) => spec.name);
  return { added: names(added), removed: names(removed), changed: names(changed) };
}
