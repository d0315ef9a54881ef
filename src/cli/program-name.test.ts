import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nameCommands, programName } from './program-name.ts';

const cache = await mkdtemp(join(tmpdir(), 'toolwharf-npx-'));
afterAll(() => rm(cache, { recursive: true }));

test('the command works where toolwharf is not on PATH', () => {
  expect(programName({})).toBe('toolwharf');
  const checkout = { npm_lifecycle_event: 'start', npm_package_name: 'toolwharf' };
  expect(programName(checkout)).toBe('npm run --silent toolwharf --');
  expect(programName({ npm_lifecycle_event: 'gateway', npm_package_name: 'mine' })).toBe('npx toolwharf');
  expect(programName({ npm_lifecycle_event: 'npx', npm_command: 'exec' })).toBe('npx toolwharf-gateway');
});

test('hints name the command that works in a checkout', () => {
  const hint = 'Start one with `toolwharf serve`, then see `toolwharf calls`; the package is toolwharf';
  expect(nameCommands(hint, {})).toBe(hint);
  expect(nameCommands(hint, { npm_lifecycle_event: 'toolwharf', npm_package_name: 'toolwharf' })).toBe(
    'Start one with `npm run --silent toolwharf -- serve`, then see `npm run --silent toolwharf -- calls`; the package is toolwharf',
  );
});

test('after npx with a tarball or several packages, the command names the same ones', async () => {
  expect(await afterNpx('../toolwharf-gateway-0.1.0.tgz')).toBe('npx ../toolwharf-gateway-0.1.0.tgz');
  expect(await afterNpx('node@24', './my tools.tgz')).toBe(
    "npx --package node@24 --package './my tools.tgz' toolwharf",
  );
});

async function afterNpx(...packages: string[]): Promise<string> {
  const directory = join(cache, '_npx', '15ae95114fa1cb10');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), JSON.stringify({ _npx: { packages } }));
  const file = join(directory, 'node_modules', 'toolwharf-gateway', 'dist', 'cli', 'main.js');
  return programName({ npm_lifecycle_event: 'npx', npm_command: 'exec' }, file);
}
