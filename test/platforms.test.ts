import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeFileLock } from '../packages/gateway/core/storage/sqlite/sqlite-engine.ts';
import { dataDirectory } from '../packages/toolwharf/config/data-directory.ts';
import { childEnvironment } from '../packages/toolwharf/connections/stdio/launch-program.ts';
import { tempDir } from './support/fixtures.ts';
import { root } from './support/imports.ts';

describe('other platforms', () => {
  test('other platforms have the data directory where their users expect it', () => {
    const home = { HOME: '/home/ada' };
    expect(dataDirectory(home, 'linux')).toBe('/home/ada/.local/share/toolwharf');
    expect(dataDirectory({ ...home, XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/toolwharf');
    expect(dataDirectory(home, 'darwin')).toBe('/home/ada/Library/Application Support/Toolwharf');
    expect(dataDirectory({ LOCALAPPDATA: '/local' }, 'win32')).toBe('/local/Toolwharf');
    expect(dataDirectory({}, 'win32')).toBe(join(homedir(), 'AppData', 'Local', 'Toolwharf'));
  });

  test('other platforms pass the variables that programs need there, and no secrets', () => {
    const own = {
      SYSTEMROOT: 'C:\\Windows',
      PATHEXT: '.EXE',
      COMSPEC: 'cmd.exe',
      TMPDIR: '/tmp',
      AWS_SECRET_ACCESS_KEY: 'x',
    };
    expect(childEnvironment(own, { TOKEN: 'mine' })).toEqual({
      SYSTEMROOT: 'C:\\Windows',
      PATHEXT: '.EXE',
      COMSPEC: 'cmd.exe',
      TMPDIR: '/tmp',
      TOKEN: 'mine',
    });
  });
});

describe('the lock of the data directory', () => {
  test('the lock of the data directory excludes other processes, and is free as soon as its process was killed', async () => {
    await using directory = await tempDir();
    const file = directory.file('toolwharf.db.lock');
    const module = join(root, 'packages', 'gateway', 'core', 'storage', 'sqlite', 'sqlite-engine.ts');
    const program = `
      import { takeFileLock } from ${JSON.stringify(module)};
      console.log(takeFileLock(${JSON.stringify(file)}) ? 'locked' : 'refused');
      setInterval(() => {}, 1_000_000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      const [line] = await once(child.stdout, 'data');
      expect(String(line).trim()).toBe('locked');
      expect(takeFileLock(file)).toBeUndefined();
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
    const lock = takeFileLock(file);
    expect(lock).toBeDefined();
    expect(takeFileLock(file)).toBeUndefined();
    lock?.release();
  });
});
