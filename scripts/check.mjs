// Everything that must hold before a change goes in: the quick checks and the build side by side, then the tests.
// `--fast` leaves out coverage.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { root, run, toolEnvironment } from './project.mjs';

const rooms = [
  'kernel',
  'config',
  'connections',
  'catalog',
  'policy',
  'invocation',
  'storage',
  'toolbox',
  'bridges',
  'chat',
  'cli',
];
// The command line is tested as a process of its own, where coverage does not see it.
const free = new Set(['cli']);
const minimum = 90;
const withCoverage = !process.argv.includes('--fast');

process.exitCode = await check();

async function check() {
  const steps = [
    ['Lint and format', 'biome', ['check', '--error-on-warnings', '.']],
    ['Types', 'tsc', ['--noEmit', '-p', 'tsconfig.test.json']],
    ['Types of the app', 'tsc', ['--noEmit', '-p', join('web', 'tsconfig.json')]],
    ['Build', process.execPath, [join(root, 'scripts', 'build.mjs')]],
    ['Unused files, exports and dependencies', 'knip', []],
  ];
  const codes = await Promise.all(steps.map(checkStep));
  return codes.find((code) => code !== 0) ?? test();
}

/** Runs a step, and prints what it said once it is done: the others run meanwhile. */
async function checkStep([title, command, args]) {
  let said = '';
  const code = await run(command, args, {
    onOutput: (text) => {
      said += text;
    },
  });
  heading(title);
  process.stdout.write(said);
  if (code !== 0) console.log(`${title}: failed`);
  return code;
}

async function test() {
  heading('Tests');
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-check-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const report = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // The command line is tested as it was just built: that is what is shipped, and it starts sooner than its sources.
  const env = { ...toolEnvironment(), TOOLWHARF_TEST_PROGRAM: join(root, 'dist', 'cli', 'main.js') };
  const code = await run('vitest', ['run', ...reporters, ...(withCoverage ? ['--coverage'] : [])], { env });
  const covered = !withCoverage || (code === 0 && coverageSuffices());
  if (!existsSync(report)) return code || 1;
  const { passed, failed } = countsOf(JSON.parse(readFileSync(report, 'utf8')));
  if (code !== 0 && failed === 0) console.log('\nNo test failed, but the run did: see the errors above.');
  console.log(`\n${passed} passed, ${failed} failed`);
  return code || (covered && failed === 0 ? 0 : 1);
}

/** Prints the covered lines of each room; false when a room of the library has too few. */
function coverageSuffices() {
  heading('Covered lines by room');
  const lines = new Map(rooms.map((room) => [room, { covered: 0, total: 0 }]));
  const summary = JSON.parse(readFileSync(join(root, 'coverage', 'coverage-summary.json'), 'utf8'));
  for (const [file, counts] of Object.entries(summary)) {
    if (file === 'total') continue;
    const [first, ...rest] = relative(join(root, 'src'), file).split(sep);
    // The files outside any room wire them together.
    const room = rest.length === 0 ? 'toolbox' : first;
    const sum = lines.get(room) ?? { covered: 0, total: 0 };
    lines.set(room, { covered: sum.covered + counts.lines.covered, total: sum.total + counts.lines.total });
  }
  let suffices = true;
  for (const [room, { covered, total }] of lines) {
    const percent = total === 0 ? 100 : (100 * covered) / total;
    const low = !free.has(room) && percent < minimum;
    suffices &&= !low;
    const figures = `${percent.toFixed(1).padStart(6)} %  ${covered}/${total}`;
    console.log(`${room.padEnd(12)}${total === 0 ? '     no lines' : figures}${low ? `  below ${minimum} %` : ''}`);
  }
  if (!suffices) console.log(`Too few lines are covered: each room of the library needs ${minimum} %.`);
  return suffices;
}

function countsOf({ numPassedTests, numFailedTests, testResults }) {
  // A file that could not be loaded has no tests to fail.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

function heading(title) {
  console.log(`\n== ${title}`);
}
