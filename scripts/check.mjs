// Runs the checks that a change must pass: lint, types, build and unused code concurrently, then the tests.
// `--fast` omits coverage.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCovered } from './coverage.mjs';
import { root, run, testProgramsDirectory, toolEnvironment } from './project.mjs';

const withCoverage = !process.argv.includes('--fast');

process.exitCode = await check();

async function check() {
  const steps = [
    ['Lint and format', 'biome', ['check', '--error-on-warnings', '.']],
    // With one thread tsc takes a third less processor time, and the other steps use the other cores.
    ['Types', 'tsc', ['--noEmit', '--singleThreaded', '-p', 'tsconfig.test.json']],
    ['Types of the app', 'tsc', ['--noEmit', '--singleThreaded', '-p', join('web', 'tsconfig.json')]],
    ['Build', process.execPath, [join(root, 'scripts', 'build.mjs')]],
    ['Build of the programs of the tests', process.execPath, [join(root, 'scripts', 'build-test-programs.mjs')]],
    ['Unused files, exports and dependencies', 'knip', []],
  ];
  const codes = await Promise.all(steps.map(checkStep));
  return codes.find((code) => code !== 0) ?? test();
}

/** Runs a step and prints its output when it ends, because the steps run concurrently. */
async function checkStep([title, command, args]) {
  let output = '';
  const code = await run(command, args, {
    onOutput: (text) => {
      output += text;
    },
  });
  heading(title);
  process.stdout.write(output);
  if (code !== 0) console.log(`${title}: failed`);
  return code;
}

async function test() {
  heading('Tests');
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-check-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const report = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // The tests run the built command line: it is what is published, and it starts faster than the sources.
  const coverage = join(directory, 'coverage');
  const env = {
    ...toolEnvironment(),
    TOOLWHARF_TEST_PROGRAM: join(root, 'dist', 'cli', 'main.js'),
    TOOLWHARF_TEST_PROGRAMS: testProgramsDirectory,
    ...(withCoverage && { TOOLWHARF_TEST_COVERAGE: coverage }),
  };
  const code = await run('vitest', ['run', ...reporters], { env });
  const covered = !withCoverage || (code === 0 && checkCoverage(coverage));
  if (!existsSync(report)) return code || 1;
  const { passed, failed } = countsOf(JSON.parse(readFileSync(report, 'utf8')));
  if (code !== 0 && failed === 0) console.log('\nNo test failed, but the run did: see the errors above.');
  console.log(`\n${passed} passed, ${failed} failed`);
  return code || (covered && failed === 0 ? 0 : 1);
}

function checkCoverage(coverage) {
  heading('Covered lines by room');
  return isCovered(root, coverage);
}

function countsOf({ numPassedTests, numFailedTests, testResults }) {
  // A file that failed to load counts as one failed test.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

function heading(title) {
  console.log(`\n== ${title}`);
}
