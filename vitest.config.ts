import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Files and folders of `test` with the longest files, longest first, so that no long file runs alone at the end.
const longest = [
  'conformance/client.test.ts',
  'attacks/overload.test.ts',
  'connections/eras.test.ts',
  'docs.test.ts',
  'packaging.test.ts',
  'conformance/server.test.ts',
  'fleet/',
  'browser/',
  'recipes.test.ts',
  'example-projects.test.ts',
  'cli/',
  'gateway/faults.test.ts',
  'conformance/',
  'storage/',
  'faults/',
  'examples.test.ts',
  'connections/',
  'attacks/',
  'mcp/',
  'servers/',
  'gateway/',
  'chat/',
  'toolbox/',
  'single-definitions.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(join(import.meta.dirname, 'test'), moduleId);
      const at = longest.findIndex((prefix) => path.startsWith(prefix));
      return at < 0 ? longest.length : at;
    };
    // Within a folder, the order of Vitest: by the duration of the last run, if there was one.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    // These limits only end real hangs: no test may depend on how fast the machine is.
    testTimeout: process.env.FAULTS === 'full' ? 14_400_000 : 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // On two cores. Many tests wait for processes of their own: with five workers, about 8 % of the time of both cores is idle.
    maxWorkers: 5,
    globalSetup: 'test/support/run-directory.ts',
    // Programs that tests start from the sources are compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'toolwharf', 'compiled') },
    sequence: { sequencer: LongestFirst },
    // Test files leave nothing behind, so that they can share their workers and the modules that these have loaded.
    isolate: false,
    runner: './test/support/coverage-runner.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['packages/{contract,toolwharf,gateway,cli}/**/*.test.ts', 'test/**/*.test.ts'],
          // Node loads the TypeScript files itself, which is faster, and coverage refers to them without source maps.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      // Vite compiles the components that modules of the app import.
      { extends: true, test: { name: 'app', include: ['packages/web/src/**/*.test.ts'] } },
    ],
  },
});
