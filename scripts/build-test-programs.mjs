// Bundles the programs that tests start many times: a bundle starts in a third of the processor time of the sources.
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { bundleProgram } from './bundle-program.mjs';
import { testProgramsDirectory as outDir } from './project.mjs';

const programs = [
  'test/attacks/support/attacked-gateway.ts',
  'test/conformance/conformance-gateway.ts',
  'test/connections/toolbox-owner.ts',
  'test/faults/support/faults-gateway.ts',
  'test/fleet/replica-main.ts',
  'test/storage/journal-writer.ts',
];

rmSync(outDir, { recursive: true, force: true });
const modules = Object.fromEntries(programs.map((path) => [basename(path, '.ts'), path]));
await bundleProgram({ modules, outDir });
// The programs find these beside themselves.
for (const [name, path] of [
  ['spool-thread', 'packages/gateway/core/storage/sqlite/spool/spool-thread.ts'],
  ['sandbox', 'packages/toolwharf/features/scripts/sandbox/sandbox-main.ts'],
])
  await bundleProgram({ modules: { [name]: path }, outDir, outputOptions: { codeSplitting: false } });
