import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The longest tests start first, so that none of them delays the end of the run.
const longest = [
  'connections/eras.test.ts',
  'attacks/overload.test.ts',
  'conformance/client.test.ts',
  'docs.test.ts',
  'browser/tools.test.ts',
  'browser/approvals.test.ts',
  'browser/servers.test.ts',
  'browser/chat.test.ts',
  'cli/chat.test.ts',
  'browser/calls.test.ts',
  'browser/language.test.ts',
  'conformance/server.test.ts',
  'gateway/faults.test.ts',
  'cli/chat-terminal.test.ts',
  'storage/durability.test.ts',
  'cli/store.test.ts',
  'cli/gateway.test.ts',
  'cli/commands.test.ts',
  'storage/contract.test.ts',
  'faults/kill.test.ts',
  'cli/serve.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}`));
      return at < 0 ? longest.length : at;
    };
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
    // On two cores. Many tests wait for processes of their own: a third fills the gaps, more only make the machine noisier.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Units leave nothing behind, so that they can share their workers and what these have loaded.
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'] } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary', 'json'],
    },
  },
});
