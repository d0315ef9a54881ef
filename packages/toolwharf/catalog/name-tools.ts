import { createHash } from 'node:crypto';
import type { Naming } from '../../contract/settings/choices.ts';
import { createSlice } from '../kernel/slices.ts';
import type { ToolId } from '../kernel/tool-id.ts';

/** A tool that is to be named. */
export interface Nameable {
  /** Undefined for a local tool. */
  readonly server?: string;
  readonly originalName: string;
  /** Another tool owns the name without a suffix. */
  readonly suffixed?: boolean;
  /** The name that an administrator gave the tool. No other tool has it. */
  readonly alias?: string;
}

/** A name that several tools have in plain naming; the last owner is used. */
export interface NameCollision {
  readonly name: string;
  /** Server names in the order of registration; `local` for local tools. */
  readonly owners: readonly string[];
}

/** The beginning of names that join a server and a tool. */
export type JoinedNaming = Exclude<Naming, 'plain'>;
export const joinedNamings: readonly JoinedNaming[] = ['mcp', 'server__tool'];

const maxLength = 64;
const allowed = /^[a-zA-Z0-9_-]{1,64}$/;
const endsLikeSuffix = /_[0-9a-f]{8}$/;

/**
 * The exposed name: `mcp_{server}_{tool}`, `{server}__{tool}`, or in plain naming the tool's own. The first two fit the limits
 * of model providers. Eight hex digits of a hash over (server, tool) are appended where the joined name does not fit them,
 * looks as if it had such a suffix, or belongs to another tool.
 */
export function nameTool({ server, originalName, suffixed, alias }: Nameable, naming: Naming): string {
  if (alias !== undefined) return naming === 'plain' ? alias : joinName({ server, tool: alias }, naming);
  if (naming === 'plain') return originalName;
  const name = joinName({ server, tool: originalName }, naming);
  // Local tools are named by the program, whatever characters it uses.
  const isUsable = server === undefined || (allowed.test(name) && !endsLikeSuffix.test(name));
  return isUsable && !suffixed ? name : withSuffix(name, server ?? '', originalName);
}

/** Names all tools, in the order of registration. In plain naming the last tool of a name wins; the others are left out. */
export async function nameTools<Entry extends Nameable>(
  entries: readonly Entry[],
  naming: Naming,
): Promise<{ readonly named: (Entry & { readonly name: string })[]; readonly collisions: NameCollision[] }> {
  const byName = new Map<string, Entry & { readonly name: string }>();
  const owners = new Map<string, string[]>();
  const slice = createSlice();
  for (const entry of entries) {
    const name = nameTool(entry, naming);
    const earlier = byName.get(name);
    if (earlier) {
      const known = owners.get(name) ?? [earlier.server ?? 'local'];
      owners.set(name, [...known, entry.server ?? 'local']);
    }
    byName.set(name, { ...entry, name });
    if (slice.isOver()) await slice.next();
  }
  const collisions = [...owners].map(([name, servers]) => ({ name, owners: servers }));
  return { named: [...byName.values()], collisions };
}

/** The exposed name of a prompt. A name that could be read as a prompt of another configured server has a suffix. */
export function namePrompt(server: string, prompt: string, naming: Naming, servers: readonly string[]): string {
  const suffixed =
    naming !== 'plain' &&
    findRivals({ server, tool: prompt }, servers).some((rival) => (rival.server ?? '').length > server.length);
  return nameTool({ server, originalName: prompt, suffixed }, naming);
}

/** The joined name without a suffix, as people write it. */
export function joinName({ server, tool }: ToolId, naming: JoinedNaming): string {
  return server === undefined ? tool : namePrefix(server, naming) + tool;
}

export function namePrefix(server: string, naming: JoinedNaming): string {
  return naming === 'mcp' ? `mcp_${server}_` : `${server}__`;
}

/** Tools of other servers, and a local tool, that would have the same joined name as this one if they exist. */
export function findRivals(id: ToolId, servers: readonly string[]): readonly ToolId[] {
  const rivals: ToolId[] = [];
  for (const name of joinedNames(id)) {
    if (id.server !== undefined) rivals.push({ tool: name });
    for (const server of servers) {
      if (server === id.server) continue;
      for (const naming of joinedNamings) {
        const prefix = namePrefix(server, naming);
        if (name.startsWith(prefix)) rivals.push({ server, tool: name.slice(prefix.length) });
      }
    }
  }
  return rivals;
}

/** Why an administrator cannot give a tool this name; undefined if it fits the limits of model providers. */
export function aliasProblem(server: string | undefined, alias: string): string | undefined {
  const names = joinedNames({ server, tool: alias });
  if (names.every((name) => allowed.test(name) && !endsLikeSuffix.test(name))) return undefined;
  const longest = Math.max(...names.map((name) => name.length));
  if (longest > maxLength)
    return `The name is too long: with the name of its server it has ${longest} characters, and ${maxLength} are allowed`;
  if (names.some((name) => endsLikeSuffix.test(name)))
    return 'The name ends like a generated suffix: choose another end';
  return 'A name can have letters, digits, - and _, and so must the name of its server';
}

/** The joined names of a tool in every naming. */
export function joinedNames(id: ToolId): readonly string[] {
  return id.server === undefined ? [id.tool] : joinedNamings.map((naming) => joinName(id, naming));
}

function withSuffix(name: string, server: string, tool: string): string {
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, maxLength - hash.length - 1);
  return `${readable}_${hash}`;
}
