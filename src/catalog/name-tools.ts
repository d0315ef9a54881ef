import { createHash } from 'node:crypto';
import type { Naming } from '../config/config.ts';

/** A tool before it has an agent-visible name. */
export interface Nameable {
  /** Undefined for a local tool. */
  readonly server?: string;
  readonly originalName: string;
}

/** One name that more than one tool would have; the last owner has it. */
export interface NameCollision {
  readonly name: string;
  /** Server names in the order of registration; `local` for tools of the program itself. */
  readonly owners: readonly string[];
}

const maxLength = 64;
const allowed = /^[a-zA-Z0-9_-]{1,64}$/;
const suffixed = /_[0-9a-f]{8}$/;

/**
 * The name an agent uses: `mcp_{server}_{tool}`, `{server}__{tool}`, or the tool's own. The first two always fit what model
 * providers accept; where the plain join does not, or could be taken for another tool's name, the sanitised and shortened
 * join ends in eight hex digits of a hash over (server, tool).
 *
 * `servers` are the names of the other servers. A join belongs to the server whose prefix is the longest that fits it, so of
 * `a_b`·`c` and `a`·`b_c` the first is `mcp_a_b_c` and the second gets a hash. That depends on nothing but the configured
 * names: not on their order, nor on who is connected, nor on what else they offer. A server can't take over a name.
 */
export function nameTool(server: string, tool: string, naming: Naming, servers: Iterable<string> = []): string {
  if (naming === 'plain') return tool;
  const join = prefixOf(server, naming) + tool;
  // A join that looks as if it had a hash could be made to equal one that has.
  const isPlain = allowed.test(join) && !suffixed.test(join) && !isForeign(join, server, naming, servers);
  return isPlain ? join : withHash(join, server, tool);
}

/**
 * Names for all tools, in the order of registration. In plain naming the last tool of a name wins and the others are left
 * out; in the other namings every tool has a name of its own. Local tools keep their names.
 * `servers` adds configured servers that offer nothing at the moment.
 */
export function assignNames<Entry extends Nameable>(
  entries: readonly Entry[],
  naming: Naming,
  servers: Iterable<string> = [],
): { readonly named: (Entry & { readonly name: string })[]; readonly collisions: NameCollision[] } {
  const known = new Set(servers);
  const locals = new Set<string>();
  for (const { server, originalName } of entries) {
    if (server === undefined) locals.add(originalName);
    else known.add(server);
  }
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = nameOf(entry, naming, known, locals);
    const same = byName.get(name);
    if (same) same.push(entry);
    else byName.set(name, [entry]);
  }
  const collisions = [...byName]
    .filter(([, owners]) => owners.length > 1)
    .map(([name, owners]) => ({ name, owners: owners.map((owner) => owner.server ?? 'local') }));
  const named = [...byName].flatMap(([name, owners]) => owners.slice(-1).map((entry) => ({ ...entry, name })));
  return { named, collisions };
}

function nameOf(entry: Nameable, naming: Naming, servers: Iterable<string>, locals: ReadonlySet<string>): string {
  const { server, originalName } = entry;
  if (server === undefined) return originalName;
  const name = nameTool(server, originalName, naming, servers);
  return naming === 'plain' || !locals.has(name) ? name : withHash(name, server, originalName);
}

function prefixOf(server: string, naming: Exclude<Naming, 'plain'>): string {
  return naming === 'mcp' ? `mcp_${server}_` : `${server}__`;
}

function isForeign(join: string, server: string, naming: Exclude<Naming, 'plain'>, servers: Iterable<string>): boolean {
  for (const other of servers) {
    if (other.length > server.length && join.startsWith(prefixOf(other, naming))) return true;
  }
  return false;
}

function withHash(join: string, server: string, tool: string): string {
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
  const readable = join.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, maxLength - hash.length - 1);
  return `${readable}_${hash}`;
}
