import type { Config, ServerSpec } from '../../contract/settings/config.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';

/**
 * The differences between two configurations by server. All lists except `removed` contain the new servers in their new
 * order.
 */
export interface ServerDifference {
  readonly added: readonly ServerSpec[];
  readonly removed: readonly ServerSpec[];
  readonly changed: readonly ServerSpec[];
  readonly unchanged: readonly ServerSpec[];
}

/** Compares servers by name and content. The order of keys is ignored. */
export function diffServers(before: Pick<Config, 'servers'>, after: Pick<Config, 'servers'>): ServerDifference {
  const known = new Map(before.servers.map((server) => [server.name, canonicalJson(server)]));
  const kept = new Set(after.servers.map((server) => server.name));
  const added: ServerSpec[] = [];
  const changed: ServerSpec[] = [];
  const unchanged: ServerSpec[] = [];
  for (const server of after.servers) {
    const earlier = known.get(server.name);
    if (earlier === undefined) added.push(server);
    else (earlier === canonicalJson(server) ? unchanged : changed).push(server);
  }
  return { added, removed: before.servers.filter((server) => !kept.has(server.name)), changed, unchanged };
}
