import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxList } from '../../../contract/settings/choices.ts';
import { isWithin } from './bubblewrap.ts';
import { findHost } from './hosts.ts';
import { expandPath, type SandboxProfile } from './profile.ts';
import { type FileUse, foldersAround } from './read-trace.ts';

export interface ProposedEntry {
  readonly list: SandboxList;
  readonly entry: string;
  readonly change: 'added' | 'removed' | 'same';
  /** The tools during whose calls it was used; `start` for none. */
  readonly causes: readonly string[];
}

export interface LearnedFacts {
  readonly files: readonly FileUse[];
  readonly hosts: readonly { readonly host: string; readonly at: string }[];
  /** The calls of the server, in any order. */
  readonly calls: readonly { readonly tool: string; readonly from: number; readonly until: number }[];
  /** Files and directories that the program can use without a profile. */
  readonly covered: readonly string[];
  /** The arguments of the program that are paths: it needs them, also if it only looks at them. */
  readonly named: readonly string[];
  readonly home: string;
  readonly allowed: SandboxProfile;
}

/** Directories that hold the files of many programs. */
const wideFolders = ['/', '/boot', '/etc', '/home', '/mnt', '/opt', '/srv', '/tmp', '/var', '/var/lib'];

/** Files of one directory from which on the directory is proposed. */
const manyFiles = 3;

/** The smallest profile for what a program has used, compared with what is allowed, and the calls that caused each entry. */
export async function proposeProfile(facts: LearnedFacts): Promise<readonly ProposedEntry[]> {
  const { files, hosts, calls, covered, named, home, allowed } = facts;
  const isFree = (path: string) =>
    covered.some((folder) => isWithin(path, folder)) ||
    (isWithin(path, '/tmp') && !named.some((folder) => isWithin(path, folder)));
  const causesAt = (times: readonly number[]) => {
    const causes = times.map((at) => calls.find(({ from, until }) => from <= at && at <= until)?.tool ?? 'start');
    return [...new Set(causes)].sort();
  };
  const used = files.filter(({ path, kind }) => !isFree(path) && (kind !== 'look' || named.includes(path)));
  const isTooWide = (folder: string) => isWithin(home, folder) || wideFolders.includes(folder);
  // A file that is replaced needs its directory.
  const written = used
    .filter(({ kind }) => kind === 'write')
    .map((use) => ({ ...use, path: isTooWide(dirname(use.path)) ? use.path : dirname(use.path) }));
  const write = outermost(await existing(written.map(({ path }) => path).filter((path) => !isTooWide(path))));
  const isWritable = (path: string) => write.some((folder) => isWithin(path, folder));
  const opened = used.filter(({ path, kind }) => kind !== 'write' && !isWritable(path) && !isTooWide(path));
  const read = outermost(gather(await existing(opened.map(({ path }) => path)), isTooWide));
  const fileEntries = (list: 'read' | 'write', paths: readonly string[], uses: readonly FileUse[]) =>
    paths.map((entry) => ({
      list,
      entry,
      causes: causesAt(uses.filter(({ path }) => isWithin(path, entry)).map(({ at }) => at)),
    }));
  const entries = [
    ...fileEntries('read', read, opened),
    ...fileEntries('write', write, written),
    ...[...new Set(hosts.map(({ host }) => host))].sort().map((entry) => ({
      list: 'network' as const,
      entry,
      causes: causesAt(hosts.filter(({ host }) => host === entry).map(({ at }) => Date.parse(at))),
    })),
  ];
  const isIn = (list: ProposedEntry['list'], entry: string) => allowsEntry(allowed, list, entry, home);
  const proposed = entries.map((entry) => ({
    ...entry,
    change: isIn(entry.list, entry.entry) ? ('same' as const) : ('added' as const),
  }));
  const names = { read, write, network: entries.filter(({ list }) => list === 'network').map(({ entry }) => entry) };
  const removed = (['read', 'write', 'network'] as const).flatMap((list) =>
    allowed[list]
      .filter((entry) => !names[list].some((name) => allowsEntry({ ...allowed, [list]: [entry] }, list, name, home)))
      .map((entry) => ({ list, entry, change: 'removed' as const, causes: [] })),
  );
  return [...proposed, ...removed];
}

function allowsEntry(profile: SandboxProfile, list: ProposedEntry['list'], entry: string, home: string): boolean {
  if (list !== 'network') return profile[list].some((path) => isWithin(entry, expandPath(path, home)));
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return findHost(profile.network, { host, port: Number(port ?? 443) }) !== undefined;
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const unique = [...new Set(paths)];
  const found = await Promise.all(
    unique.map((path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return unique.filter((_, index) => found[index]);
}

/** Replaces many paths of one directory by the directory, again and again. */
function gather(paths: readonly string[], isTooWide: (folder: string) => boolean): readonly string[] {
  const children = new Map<string, Set<string>>();
  for (const path of paths) {
    let child = path;
    for (const folder of foldersAround(path)) {
      children.set(folder, (children.get(folder) ?? new Set()).add(child));
      child = folder;
    }
  }
  const wide = [...children]
    .filter(([folder, below]) => below.size >= manyFiles && !isTooWide(folder))
    .map(([folder]) => folder);
  return [...paths, ...wide];
}

/** The paths that no other one contains. */
function outermost(paths: readonly string[]): readonly string[] {
  const unique = [...new Set(paths)].sort((one, other) => one.length - other.length);
  return unique.filter((path, index) => !unique.slice(0, index).some((folder) => isWithin(path, folder))).sort();
}
