import { type FSWatcher, watch } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { type ToolwharfError, toToolwharfError } from '../../contract/errors.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { systemClock } from '../kernel/clock.ts';
import { type LoadedConfig, type LoadOptions, parseConfigText } from './load-config.ts';
import { readConfigFile } from './read-config-file.ts';

export interface WatchOptions extends LoadOptions {
  /** Called with each new valid configuration. Calls never overlap: the signal aborts when the file has changed again. */
  readonly onChange: (loaded: LoadedConfig, signal: AbortSignal) => void | Promise<void>;
  /** Called once for each invalid or unreadable version of the file, and when `onChange` throws or rejects. */
  readonly onError: (error: ToolwharfError) => void;
  /**
   * The configuration that is already loaded. A file that has changed since then is reported immediately. Default: the
   * current content of the file.
   */
  readonly since?: LoadedConfig;
  readonly signal?: AbortSignal;
  /** Debounce interval in milliseconds. Default: 100. */
  readonly debounceMs?: number;
}

/**
 * Watches a configuration file and reports each content change. Detects in-place edits, replacement by rename, and
 * retargeted symbolic links. Resolves when the watchers are active. The watchers do not keep the process alive.
 */
export async function watchConfig(file: string, options: WatchOptions): Promise<AsyncDisposable> {
  const { onChange, onError, since, signal, debounceMs = 100 } = options;
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  let seen = since?.contentHash;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let needsCheck = false;
  let notifying: AbortController | undefined;
  let closed = false;
  const closing = new AbortController();

  function checkIn(ms: number): void {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (running) {
        needsCheck = true;
        void supersede();
      } else {
        running = check()
          .catch(reportError)
          .finally(() => {
            running = undefined;
            if (needsCheck) checkIn(debounceMs);
            needsCheck = false;
          });
      }
    }, ms).unref();
  }

  /** Ends the work on a configuration that the file no longer has. */
  async function supersede(): Promise<void> {
    const superseded = notifying;
    if (!superseded || (await read(file)).hash === seen || superseded !== notifying) return;
    // Whatever the file has next is another configuration than the one in use.
    seen = 'superseded';
    superseded.abort(new Error('The configuration file has changed again'));
  }

  /** Watches every directory on the path to the file. Returns false if a directory cannot be watched. */
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
      // The file system can reuse the inode number of a deleted directory, so the identity includes the creation time.
      const identity = `${dev}:${ino}:${birthtimeMs}`;
      if (watchers.get(directory)?.identity === identity) return true;
      unwatch(directory);
      if (closed) return true;
      // Every event in the directory triggers a check: a symbolic link on the path has a different name than the file.
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
    // Poll when a directory cannot be watched.
    if (!watching) checkIn(1000);
    const content = await read(file);
    if (closed || content.hash === seen) return;
    const outcome = parseContent(content);
    // Many programs truncate or delete a file before they write it, so read an invalid file a second time.
    if ('error' in outcome && seen !== undefined) {
      await systemClock.sleep(debounceMs, closing.signal).catch(() => {});
      const second = await read(file);
      if (closed || second.hash !== content.hash) return checkIn(0);
    }
    seen = content.hash;
    if ('error' in outcome) throw outcome.error;
    const superseded = new AbortController();
    notifying = superseded;
    try {
      await onChange(outcome.loaded, AbortSignal.any([superseded.signal, closing.signal]));
    } catch (cause) {
      if (cause !== superseded.signal.reason) throw cause;
      const message = 'The configuration file changed again before its previous version could be applied';
      options.log?.info('config.superseded', message);
    } finally {
      notifying = undefined;
    }
  }

  function parseContent(content: Content): { readonly loaded: LoadedConfig } | { readonly error: unknown } {
    if ('error' in content) return content;
    try {
      return { loaded: parseConfigText(content.text, file, options) };
    } catch (error) {
      return { error };
    }
  }

  function reportError(cause: unknown): void {
    if (closed) return;
    try {
      onError(toToolwharfError(cause));
    } catch {
      // An exception from `onError` must not stop the watcher, and no other listener can receive it.
    }
  }

  async function close(): Promise<void> {
    closed = true;
    closing.abort();
    clearTimeout(timer);
    signal?.removeEventListener('abort', closeOnAbort);
    for (const directory of [...watchers.keys()]) unwatch(directory);
    // A listener may close the watcher from its own callback. Awaiting the running check would then deadlock.
    if (!notifying) await running;
  }
  const closeOnAbort = () => void close();

  if (signal?.aborted) closed = true;
  signal?.addEventListener('abort', closeOnAbort, { once: true });
  const watching = await watchDirectories();
  if (seen === undefined) seen = (await read(file)).hash;
  // This check also detects changes between loading and the start of the watcher.
  checkIn(watching ? 0 : 1000);
  return { [Symbol.asyncDispose]: close };
}

type Content = { readonly hash: string } & ({ readonly text: string } | { readonly error: unknown });

async function read(file: string): Promise<Content> {
  try {
    const text = await readConfigFile(file);
    return { hash: hashOf(text), text };
  } catch (error) {
    return { hash: `unreadable: ${toToolwharfError(error).message}`, error };
  }
}

/**
 * Returns the directories where a change can affect the resolved path: the parent of the file and of each symbolic
 * link.
 */
export async function directoriesTo(file: string): Promise<Set<string>> {
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
    // readlink fails if the path is not a symbolic link or no longer exists.
    const target = await readlink(at).catch(() => undefined);
    if (target !== undefined) return { at, target, rest: parts.slice(index + 1).join(sep) };
  }
  return undefined;
}
