import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolwharfError } from '../../contract/errors.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';
import { type WatchOptions, watchConfig } from './watch-config.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-watch-'));
  file = join(directory, 'toolwharf.yaml');
  await write(file, content('first'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Truncates and writes the file synchronously, so that a watcher never reads an empty file. */
async function write(path: string, text: string): Promise<void> {
  writeFileSync(path, text);
}

function content(name: string): string {
  return `servers: {${name}: {command: x}}\n`;
}

/** Watches a file and collects the events: the name of the first server, or the code and message of an error. */
async function watching(path: string, options: Partial<WatchOptions> = {}) {
  const events: string[] = [];
  const watch = await watchConfig(path, {
    env: {},
    debounceMs: 20,
    onChange: (loaded: LoadedConfig) => void events.push(loaded.config.servers[0]?.name ?? 'none'),
    onError: (error: ToolwharfError) => void events.push(`${error.code}: ${error.message}`),
    ...options,
  });
  return {
    events,
    until: (expected: unknown[]) => expect.poll(() => events).toEqual(expected),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

/**
 * Changes another file in the same directory and waits until its watcher reports the change. Earlier changes have been
 * reported by then.
 */
async function untilEarlierChangesAreReported(): Promise<void> {
  const other = join(directory, 'other.yaml');
  await write(other, content('before'));
  await using witness = await watching(other);
  await write(other, content('after'));
  await witness.until(['after']);
}

describe('watching the configuration file [M15]', () => {
  test('the watcher of the configuration file reports a file that is rewritten in place', async () => {
    await using watch = await watching(file);
    await write(file, content('second'));
    await watch.until(['second']);
    await write(file, content('third'));
    await watch.until(['second', 'third']);
  });

  test('the watcher of the configuration file reports each replacement of the file by rename, as editors save', async () => {
    await using watch = await watching(file);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const [index, name] of names.entries()) {
      await write(`${file}.tmp`, content(name));
      await rename(`${file}.tmp`, file);
      await watch.until(names.slice(0, index + 1));
    }
  });

  test('the watcher of the configuration file reports a symbolic link that is retargeted, as in a mounted configuration', async () => {
    for (const version of ['v1', 'v2', 'v3']) {
      await mkdir(join(directory, version));
      await write(join(directory, version, 'toolwharf.yaml'), content(version));
    }
    await mkdir(join(directory, 'mounted'));
    await symlink(join('..', 'v1'), join(directory, 'mounted', '..data'));
    await symlink(join('..data', 'toolwharf.yaml'), join(directory, 'mounted', 'toolwharf.yaml'));
    await using watch = await watching(join(directory, 'mounted', 'toolwharf.yaml'));
    const pointTo = async (version: string) => {
      await symlink(join('..', version), join(directory, 'mounted', '..next'));
      await rename(join(directory, 'mounted', '..next'), join(directory, 'mounted', '..data'));
    };
    await pointTo('v2');
    await watch.until(['v2']);
    await pointTo('v3');
    await watch.until(['v2', 'v3']);
    await write(join(directory, 'v3', 'toolwharf.yaml'), content('v3-edited'));
    await watch.until(['v2', 'v3', 'v3-edited']);
  });

  test('the watcher of the configuration file reports a symbolic link in a parent directory that is retargeted', async () => {
    for (const version of ['v1', 'v2']) {
      await mkdir(join(directory, version));
      await write(join(directory, version, 'toolwharf.yaml'), content(version));
    }
    await symlink('v1', join(directory, 'current'));
    await using watch = await watching(join(directory, 'current', 'toolwharf.yaml'));
    await symlink('v2', join(directory, 'next'));
    await rename(join(directory, 'next'), join(directory, 'current'));
    await watch.until(['v2']);
  });

  test('the watcher of the configuration file reports a broken file once as an error, and its correction as a change', async () => {
    await using watch = await watching(file);
    await write(file, 'servers: {a: {comand: x}}\n');
    await watch.until([expect.stringMatching(/^CONFIG_INVALID: .*toolwharf\.yaml has 2 problems/)]);
    await untilEarlierChangesAreReported();
    expect(watch.events).toHaveLength(1);
    await write(file, content('mended'));
    await watch.until([expect.anything(), 'mended']);
  });

  test('the watcher of the configuration file reports a deleted file as an error, and its return as a change', async () => {
    await using watch = await watching(file);
    await unlink(file);
    await watch.until([expect.stringMatching(/does not exist/)]);
    await write(file, content('back'));
    await watch.until([expect.anything(), 'back']);
  });

  test('the watcher of the configuration file resumes after the directory is deleted and recreated', async () => {
    const inner = join(directory, 'inner');
    await mkdir(inner);
    await write(join(inner, 'toolwharf.yaml'), content('first'));
    await using watch = await watching(join(inner, 'toolwharf.yaml'));
    await rm(inner, { recursive: true });
    await watch.until([expect.stringMatching(/does not exist/)]);
    await mkdir(inner);
    await write(join(inner, 'toolwharf.yaml'), content('second'));
    await watch.until([expect.anything(), 'second']);
    await write(join(inner, 'toolwharf.yaml'), content('third'));
    await watch.until([expect.anything(), 'second', 'third']);
  });

  test('the watcher of the configuration file does not report a file rewritten with the same content', async () => {
    await using watch = await watching(file);
    await write(file, content('first'));
    await write(`${file}.tmp`, content('first'));
    await rename(`${file}.tmp`, file);
    await untilEarlierChangesAreReported();
    expect(watch.events).toEqual([]);
    await write(file, content('second'));
    await watch.until(['second']);
  });

  test('the watcher of the configuration file reports a change made between loading and watching', async () => {
    const since = await loadConfig(file, { env: {} });
    await write(file, content('meanwhile'));
    await using watch = await watching(file, { since });
    await watch.until(['meanwhile']);
  });

  test('the watcher of the configuration file applies overrides to the reloaded configuration', async () => {
    const names: boolean[] = [];
    await using watch = await watching(file, {
      env: { TOOLWHARF__SERVERS__SECOND__ENABLED: 'false' },
      onChange: (loaded) => void names.push(loaded.config.servers[0]?.enabled ?? true),
    });
    await write(file, content('second'));
    await expect.poll(() => names).toEqual([false]);
    expect(watch.events).toEqual([]);
  });

  test('the watcher of the configuration file reports changes one at a time, and a failing listener as an error', async () => {
    const gate = Promise.withResolvers<void>();
    let inside = 0;
    let maxInside = 0;
    const seen: string[] = [];
    await using watch = await watching(file, {
      onChange: async (loaded) => {
        maxInside = Math.max(maxInside, ++inside);
        await gate.promise;
        inside--;
        seen.push(loaded.config.servers[0]?.name ?? 'none');
        if (seen.length === 1) throw new Error('listener failed');
      },
    });
    await write(file, content('second'));
    await expect.poll(() => inside).toBe(1);
    await write(file, content('third'));
    await untilEarlierChangesAreReported();
    gate.resolve();
    await expect.poll(() => seen).toEqual(['second', 'third']);
    expect(maxInside).toBe(1);
    expect(watch.events).toEqual(['INTERNAL: listener failed']);
  });

  test('the watcher of the configuration file reports nothing after it is closed by dispose or by signal', async () => {
    const stop = new AbortController();
    const byDispose = await watching(file);
    await using bySignal = await watching(file, { signal: stop.signal });
    await byDispose[Symbol.asyncDispose]();
    stop.abort();
    await write(file, content('second'));
    await untilEarlierChangesAreReported();
    expect(byDispose.events).toEqual([]);
    expect(bySignal.events).toEqual([]);
  });

  test('the watcher of the configuration file continues after an error listener throws', async () => {
    const names: string[] = [];
    await using _ = await watchConfig(file, {
      env: {},
      debounceMs: 20,
      onChange: (loaded) => void names.push(loaded.config.servers[0]?.name ?? 'none'),
      onError: () => {
        names.push('error');
        throw new Error('listener failed');
      },
    });
    await write(file, 'servers: 5\n');
    await expect.poll(() => names).toEqual(['error']);
    await write(file, content('second'));
    await expect.poll(() => names).toEqual(['error', 'second']);
  });

  test('the watcher of the configuration file can be closed by its own listener', async () => {
    let closed = false;
    const watch = await watchConfig(file, {
      env: {},
      debounceMs: 20,
      onError: () => {},
      onChange: async () => {
        await watch[Symbol.asyncDispose]();
        closed = true;
      },
    });
    await write(file, content('second'));
    await expect.poll(() => closed).toBe(true);
  });
});
