// Runs the checks that a change must pass: the build, then the tests, and beside them lint, types and unused code. One of these
// that fails ends the tests.
// `--fast` omits coverage.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isCovered } from './coverage.mjs';
import { root, run, testProgramsDirectory, toolEnvironment } from './project.mjs';

const withCoverage = !process.argv.includes('--fast');

const checks = [
  ['Lint and format', 'biome', ['check', '--error-on-warnings', '.']],
  // With one thread tsc takes a third less processor time, and the other steps use the other cores.
  ['Types', 'tsc', ['--noEmit', '--singleThreaded', '-p', 'tsconfig.test.json']],
  ['Types of the app', 'tsc', ['--noEmit', '--singleThreaded', '-p', join('packages', 'web', 'tsconfig.json')]],
  ['Unused files, exports and dependencies', 'knip', []],
];
const builds = [
  ['Build', process.execPath, [join(root, 'scripts', 'build.mjs')]],
  ['Build of the programs of the tests', process.execPath, [join(root, 'scripts', 'build-test-programs.mjs')]],
];

process.exitCode = await check();

async function check() {
  const failed = new AbortController();
  const checked = Promise.all(
    checks.map(async (step) => {
      // They use the time in which tests wait.
      const result = await runStep(step, { priority: constants.priority.PRIORITY_BELOW_NORMAL });
      if (result.code !== 0) failed.abort();
      return result;
    }),
  );
  const built = await Promise.all(builds.map((step) => runStep(step)));
  print(built);
  const tests = codeOf(built) === 0 && !failed.signal.aborted ? await runTests(failed.signal) : undefined;
  const results = await checked;
  print(results);
  const tested = tests ? summarise(tests) : 1;
  return codeOf([...built, ...results]) || tested;
}

/** Runs a step and keeps its output, because the steps run concurrently. */
async function runStep([title, command, args], options) {
  let output = '';
  const code = await run(command, args, {
    ...options,
    onOutput: (text) => {
      output += text;
    },
  });
  return { title, output, code };
}

function print(results) {
  for (const { title, output, code } of results) {
    heading(title);
    process.stdout.write(output);
    if (code !== 0) console.log(`${title}: failed`);
  }
}

function codeOf(results) {
  return results.find(({ code }) => code !== 0)?.code ?? 0;
}

async function runTests(signal) {
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
  const code = await run('vitest', ['run', ...reporters], { env, signal });
  if (signal.aborted) console.log('\nThe tests were ended, because another check failed.');
  return { code, report, coverage };
}

/** Prints the coverage and the counts of the tests, and returns the exit code. */
function summarise({ code, report, coverage }) {
  const covered = !withCoverage || (code === 0 && checkCoverage(coverage));
  if (!existsSync(report)) return code || 1;
  const { passed, failed, skipped } = countsOf(JSON.parse(readFileSync(report, 'utf8')));
  if (code !== 0 && failed === 0) console.log('\nNo test failed, but the run did: see the errors above.');
  for (const { file, count } of skipped)
    console.log(
      `\nNot run on this machine: ${count} tests of ${file} (\`vitest run ${file} --reporter=verbose\` says why)`,
    );
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
  const skipped = testResults
    .map(({ name, assertionResults }) => ({
      file: relative(root, name),
      count: assertionResults.filter(({ status }) => status === 'skipped' || status === 'pending').length,
    }))
    .filter(({ count }) => count > 0);
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped };
}

function heading(title) {
  console.log(`\n== ${title}`);
}
