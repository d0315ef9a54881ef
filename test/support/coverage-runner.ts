import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { TestRunner } from 'vitest';

const directory = process.env.TOOLWHARF_TEST_COVERAGE;
let session: Session | undefined;

/** Runs tests as usual. If an environment variable names a directory, each worker writes there which code of `src` it ran. */
export default class CoverageRunner extends TestRunner {
  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args);
    if (directory === undefined || session) return;
    session = record();
    const { onCleanupWorkerContext } = this;
    if (!onCleanupWorkerContext) throw new Error('This version of Vitest does not say when a worker ends');
    onCleanupWorkerContext(() => write(directory));
  }
}

/** Without counts, code that has run once is as fast as without coverage. */
function record(): Session {
  const started = new Session();
  started.connect();
  started.post('Profiler.enable');
  started.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
  return started;
}

/** Writes a file in the format of `NODE_V8_COVERAGE`. */
function write(to: string): void {
  session?.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error;
    const ours = result.filter(isSource);
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, `worker-${randomUUID()}.json`), JSON.stringify({ result: ours }));
  });
}

function isSource({ url }: Profiler.ScriptCoverage): boolean {
  return (
    /\/packages\/(?:contract|toolwharf|gateway|cli)\//.test(url) &&
    !url.includes('/node_modules/') &&
    !url.includes('.test.ts')
  );
}
