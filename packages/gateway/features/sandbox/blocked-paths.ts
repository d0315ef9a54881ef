import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '../../../contract/json.ts';
import { isWithin } from './bubblewrap.ts';
import { expandPath } from './profile.ts';

/** What a program sees of the files of the machine. Everything else is not there, or private to it. */
export interface ShownFiles {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Every directory directly in the root, so that paths of URLs are not taken for files. */
  readonly roots: readonly string[];
  readonly home: string;
}

export interface BlockedPath {
  readonly list: 'read' | 'write';
  readonly path: string;
}

const maxPaths = 5;
const maxTextLength = 20_000;
const missing = /ENOENT|no such file|not found|does ?n[o']t exist|EACCES|permission denied/i;
const readOnly = /EROFS|read-only file system/i;

/**
 * The paths because of which a call has probably failed: those that its arguments or its error name, and that the sandbox does not
 * show, or shows read-only. Nothing is looked up, so that a caller does not learn what is on the machine.
 */
export function findBlockedPaths(args: JsonObject, error: unknown, shown: ShownFiles): readonly BlockedPath[] {
  const text = textsOf(error).join('\n').slice(0, maxTextLength);
  const isReadOnly = readOnly.test(text);
  if (!isReadOnly && !missing.test(text)) return [];
  const named = [...textsOf(args), ...text.split(/[\s'"`<>()[\],;]+/)].map((word) =>
    word.replace(/^file:\/\/|[.:]+$/g, ''),
  );
  const paths = named
    .filter((word) => word.startsWith('~/') || isAbsolute(word))
    .map((word) => resolve(expandPath(word, shown.home)))
    .filter((path) => shown.roots.some((root) => path !== root && isWithin(path, root)));
  const isIn = (path: string, folders: readonly string[]) => folders.some((folder) => isWithin(path, folder));
  const blocked = [...new Set(paths)].filter((path) => !isIn(path, isReadOnly ? shown.writable : shown.readable));
  return blocked.slice(0, maxPaths).map((path) => ({ list: isReadOnly ? 'write' : 'read', path }));
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
