// Type-checks the contract, the library, the gateway, the command line and the app without each feature in turn: a feature is a folder that can be deleted.
// A feature that others need is deleted with those. `node scripts/check-features.mjs chat tasks` checks only these.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { features } from '../packages/gateway/features/index.ts';
import { root } from './project.mjs';

const chosen = process.argv.slice(2);
const names = chosen.length > 0 ? chosen : features.map(({ name }) => name);
const directory = mkdtempSync(join(tmpdir(), 'toolwharf-features-'));
/** The packages with a folder for each feature, and a list of them. */
const houses = ['gateway', 'cli', 'web/src'].map((name) => join('packages', name, 'features'));
let failed = 0;
try {
  for (const name of names) {
    const removed = [name, ...features.filter(({ needs }) => needs?.includes(name)).map((feature) => feature.name)];
    const problems = checkWithout(removed);
    console.log(
      problems === '' ? `without ${removed.join(' and ')}: ok` : `without ${removed.join(' and ')}:\n${problems}`,
    );
    if (problems !== '') failed++;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** What the compiler finds in a copy of the tree without these features; empty if nothing. */
function checkWithout(removed) {
  const copy = join(directory, removed[0]);
  for (const folder of ['contract', 'toolwharf', 'gateway', 'cli', 'web'])
    cpSync(join(root, 'packages', folder), join(copy, 'packages', folder), {
      recursive: true,
      filter: (path) => !/\.test\.tsx?$/.test(path) && !/[\\/](?:node_modules|dist)$/.test(path),
    });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const hasFace = removed.some((name) => existsSync(join(copy, 'packages/web/src/features', name)));
  for (const house of houses) {
    const list = join(copy, house, 'index.ts');
    for (const name of removed) rmSync(join(copy, house, name), { recursive: true, force: true });
    writeFileSync(list, withoutFeatures(readFileSync(list, 'utf8'), removed));
  }
  const include = ['contract', 'toolwharf', 'gateway', 'cli'].map((folder) => `packages/${folder}/**/*.ts`);
  const config = { extends: './tsconfig.json', compilerOptions: { noEmit: true }, include };
  writeFileSync(join(copy, 'tsconfig.features.json'), JSON.stringify(config));
  const app = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false, types: ['vite/client', 'node'] },
    include: ['src'],
  };
  writeFileSync(join(copy, 'packages/web/tsconfig.features.json'), JSON.stringify(app));
  const problems = compile(copy, 'tsconfig.features.json');
  // The app does not use the gateway: a feature without a face is no part of it.
  const ofApp = hasFace ? compile(copy, 'packages/web/tsconfig.features.json') : '';
  rmSync(copy, { recursive: true, force: true });
  return [problems, ofApp].filter(Boolean).join('\n');
}

function compile(copy, project) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', project], {
    cwd: copy,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `the compiler ended with ${status}`;
}

/** The list of features without the lines of these. */
function withoutFeatures(text, removed) {
  const imported = removed.map((name) => new RegExp(`^import \\{ (\\w+) \\} from './${name}/feature\\.ts';\\n`, 'm'));
  const values = imported.map((pattern) => pattern.exec(text)?.[1]);
  const rest = imported.reduce((shorter, pattern) => shorter.replace(pattern, ''), text);
  return values.reduce((shorter, value) => {
    const line = new RegExp(`^  ${value},\\n`, 'm');
    // The formatter puts a short list in one line.
    return shorter.replace(line.test(shorter) ? line : new RegExp(`\\b${value}, |, ${value}\\b(?=\\])`), '');
  }, rest);
}
