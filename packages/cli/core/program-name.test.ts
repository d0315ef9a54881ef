import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nameCommands, nameExamples, programName } from './program-name.ts';

const directory = await mkdtemp(join(tmpdir(), 'toolwharf-name-'));
afterAll(() => rm(directory, { recursive: true }));

const program = '/home/ada/wharf/dist/cli/main.js';

test('the command works where toolwharf is not on PATH', () => {
  const checkout = { npm_lifecycle_event: 'start', npm_package_name: 'toolwharf' };
  expect(programName({ program, env: checkout })).toBe('npm run --silent toolwharf --');
  const gateway = { npm_lifecycle_event: 'gateway', npm_package_name: 'mine' };
  expect(programName({ program, env: gateway })).toBe('npx toolwharf');
  expect(programName({ program, env: { npm_lifecycle_event: 'npx', npm_command: 'exec' } })).toBe(
    'npx toolwharf-gateway',
  );
});

test('a program that was started as a file is named as that file, relative to the working directory if it is below it', () => {
  const env = { PATH: directory };
  expect(programName({ program, env })).toBe('node /home/ada/wharf/dist/cli/main.js');
  expect(programName({ program, env, cwd: '/home/ada/wharf' })).toBe('node dist/cli/main.js');
  expect(programName({ program, env, cwd: '/home/ada/wh' })).toBe('node /home/ada/wharf/dist/cli/main.js');
  expect(programName({ program: '/home/ada/my tools/main.js', env })).toBe("node '/home/ada/my tools/main.js'");
  const installed = '/home/ada/project/node_modules/.bin/toolwharf';
  expect(programName({ program: installed, env, cwd: '/home/ada/project' })).toBe('npx toolwharf');
});

test('toolwharf is the name only if PATH leads to the program that runs', async () => {
  const [bin, own, other] = ['bin', 'own.js', 'other.js'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(bin);
  for (const file of [own, other]) await writeFile(file, '');
  await symlink(own, join(bin, 'toolwharf'));
  const env = { PATH: `/nowhere::${bin}` };
  expect(programName({ program: join(bin, 'toolwharf'), env })).toBe('toolwharf');
  expect(programName({ program: own, env })).toBe('toolwharf');
  expect(programName({ program: other, env })).toBe(`node ${other}`);
});

test('the command names the data directory that --data-dir gave', () => {
  const start = { program, env: {}, cwd: '/home/ada/wharf' };
  expect(programName({ ...start, dataDir: '/tmp/try it' })).toBe("node dist/cli/main.js --data-dir '/tmp/try it'");
});

test('hints name the command that works here', () => {
  const hint = 'Start one with `toolwharf serve`, then see `toolwharf calls`; the package is toolwharf';
  expect(nameCommands(hint, () => 'toolwharf')).toBe(hint);
  expect(nameCommands(hint, () => 'npm run --silent toolwharf --')).toBe(
    'Start one with `npm run --silent toolwharf -- serve`, then see `npm run --silent toolwharf -- calls`; the package is toolwharf',
  );
});

test('the examples of a help text name the command that works here', () => {
  const help = 'toolwharf runs\n\nExamples:\n  toolwharf chat\n  git diff | toolwharf chat > a.md\n  about toolwharf';
  expect(nameExamples(help, () => 'npx toolwharf')).toBe(
    'toolwharf runs\n\nExamples:\n  npx toolwharf chat\n  git diff | npx toolwharf chat > a.md\n  about toolwharf',
  );
});

test('after npx with a tarball or several packages, the command names the same ones', async () => {
  expect(await afterNpx('../toolwharf-gateway-0.1.0.tgz')).toBe('npx ../toolwharf-gateway-0.1.0.tgz');
  expect(await afterNpx('node@24', './my tools.tgz')).toBe(
    "npx --package node@24 --package './my tools.tgz' toolwharf",
  );
});

async function afterNpx(...packages: string[]): Promise<string> {
  const cache = join(directory, '_npx', '15ae95114fa1cb10');
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'package.json'), JSON.stringify({ _npx: { packages } }));
  const file = join(cache, 'node_modules', 'toolwharf-gateway', 'dist', 'cli', 'main.js');
  return programName({ program: file, env: { npm_lifecycle_event: 'npx', npm_command: 'exec' } });
}
