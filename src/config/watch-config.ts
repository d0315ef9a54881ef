import { type FSWatcher, watch } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { hashOf } from '../kernel/canonical-json.ts';
import { systemClock } from '../kernel/clock.ts';
import { type ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import { type LoadedConfig, type LoadOptions, parseConfigText } from './load-config.ts';
import { readConfigFile } from './read-config-file.ts';

export interface WatchOptions extends LoadOptions {
  /** Called with every new content that is valid, one at a time. */
  readonly onChange: (loaded: LoadedConfig) => void | Promise<void>;
  /** Called for a file that is broken or gone, once for each content; also if `onChange` fails. */
  readonly onError: (error: ToolwharfError) => void;
  /** What is already loaded: a change since then is told at once. Default: whatever the file holds now. */
  readonly since?: LoadedConfig;
  readonly signal?: AbortSignal;
  /** How long to wait for a burst of changes to end. Default: 100. */
  readonly debounceMs?: number;
}

/**
 * Tells of new content of a file, whether it is edited in place, replaced by renaming, or reached through a link that is
 * pointed elsewhere. Resolves when it is watching; never keeps the process alive.
 */
export async function watchConfig(file: string, options: WatchOptions): Promise<AsyncDisposable> {
  const { onChange, onError, since, signal, debounceMs = 100 } = options;
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  let seen = since?.contentHash;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let telling = false;
  let closed = false;
  const closing = new AbortController();

  function checkIn(ms: number): void {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (running) again = true;
      else {
        running = check()
          .catch(tellError)
          .finally(() => {
            running = undefined;
            if (again) checkIn(debounceMs);
            again = false;
          });
      }
    }, ms).unref();
  }

  /** Watches every directory the file's path leads through. False if one can't be watched. */
  async function watchDirectories(): Promise<boolean> {
    const wanted = await directoriesTo(file);
    let complete = true;
    for (const directory of [...watchers.keys()]) if (!wanted.has(directory)) unwatch(directory);
    for (const directory of wanted) complete = (await watchDirectory(directory)) && complete;
    return complete;
  }

  async function watchDirectory(directory: string): Promise<boolean> {
    try {
      const { dev, ino, birthtimeMs } = await stat(directory);
      // A directory made anew can have the number of the old one.
      const identity = `${dev}:${ino}:${birthtimeMs}`;
      if (watchers.get(directory)?.identity === identity) return true;
      unwatch(directory);
      if (closed) return true;
      // Everything in the directory counts: what a link passes through has another name than the file.
      const watcher = watch(directory, { persistent: false }, () => checkIn(debounceMs));
      watcher.on('error', () => checkIn(debounceMs));
      watchers.set(directory, { watcher, identity });
      return true;
    } catch {
      unwatch(directory);
      return false;
    }
  }

  function unwatch(directory: string): void {
    watchers.get(directory)?.watcher.close();
    watchers.delete(directory);
  }

  async function check(): Promise<void> {
    const watching = await watchDirectories();
    // What can't be watched is looked at now and then.
    if (!watching) checkIn(1000);
    const content = await read(file);
    if (closed || content.hash === seen) return;
    // Many programs empty or remove a file before they write it: what looks gone gets a second look.
    if (content.unsettled && seen !== undefined) {
      await systemClock.sleep(debounceMs, closing.signal).catch(() => {});
      const second = await read(file);
      if (closed || second.hash !== content.hash) return checkIn(0);
    }
    seen = content.hash;
    if ('error' in content) throw content.error;
    const loaded = parseConfigText(content.text, file, options);
    telling = true;
    try {
      await onChange(loaded);
    } finally {
      telling = false;
    }
  }

  function tellError(cause: unknown): void {
    if (closed) return;
    try {
      onError(toToolwharfError(cause));
    } catch {
      // A listener that throws must not end the watch, and there is nobody left to tell.
    }
  }

  async function close(): Promise<void> {
    closed = true;
    closing.abort();
    clearTimeout(timer);
    signal?.removeEventListener('abort', closeOnAbort);
    for (const directory of [...watchers.keys()]) unwatch(directory);
    // A listener may close the watch that is calling it; waiting for it would never end.
    if (!telling) await running;
  }
  const closeOnAbort = () => void close();

  if (signal?.aborted) closed = true;
  signal?.addEventListener('abort', closeOnAbort, { once: true });
  const watching = await watchDirectories();
  if (seen === undefined) seen = (await read(file)).hash;
  // Also covers what was written between loading and now.
  checkIn(watching ? 0 : 1000);
  return { [Symbol.asyncDispose]: close };
}

type Content =
  | { readonly hash: string; readonly text: string; readonly unsettled: false }
  | { readonly hash: string; readonly error: unknown; readonly unsettled: true };

async function read(file: string): Promise<Content> {
  try {
    const text = await readConfigFile(file);
    return { hash: hashOf(text), text, unsettled: false };
  } catch (error) {
    return { hash: `unreadable: ${toToolwharfError(error).message}`, error, unsettled: true };
  }
}

/** The directories in which a change can change what the path leads to: the file's own and that of every link on the way. */
async function directoriesTo(file: string): Promise<Set<string>> {
  const directories = new Set<string>();
  let path = resolve(file);
  for (let links = 0; links < 40; links++) {
    const link = await firstLink(path);
    if (!link) break;
    directories.add(dirname(link.at));
    path = resolve(dirname(link.at), link.target, link.rest);
  }
  return directories.add(dirname(path));
}

async function firstLink(path: string) {
  const { root } = parse(path);
  const parts = path.slice(root.length).split(sep);
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    // Fails for everything that is no link, also for what went away just now.
    const target = await readlink(at).catch(() => undefined);
    if (target !== undefined) return { at, target, rest: parts.slice(index + 1).join(sep) };
  }
  return undefined;
}
