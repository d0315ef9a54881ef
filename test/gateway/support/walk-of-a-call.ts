// Opens a gateway on a SQLite file in front of the server at the URL that is its first argument, calls the tool `echo` of that server,
// and prints the source files of which a function ran for a call, as JSON. The second argument is a directory for the data.
import { createHash } from 'node:crypto';
import { type Profiler, Session } from 'node:inspector/promises';
import { createAuthenticate } from '../../../packages/gateway/core/auth/authenticate.ts';
import { openGateway } from '../../../packages/gateway/core/gateway.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../../packages/gateway/features/index.ts';
import { silentLog } from '../../../packages/toolwharf/kernel/log.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';
import { connectClient } from '../../support/open-gateway.ts';
import { patiently } from '../../support/toolbox.ts';

const [, , url = '', dataDir] = process.argv;
const key = createHash('sha256').update('a key for tests').digest();
await using gateway = await openGateway(patiently({ servers: { there: { url } } }), {
  storage: await openStorage({ kind: 'sqlite', file: `${dataDir}/toolwharf.db`, sealer: createSealer(key) }),
  log: silentLog,
  sessionKey: key,
  port: 0,
  createAuthenticate: (parts) => createAuthenticate(parts),
  features,
  createRoutes: () => async () => false,
});
await using client = await connectClient(`${gateway.url}/mcp`, { era: 'legacy' });
const tool = (await client.names()).find((name) => name.endsWith('echo')) ?? 'no echo';
const call = () => client.text(tool, { text: 'ahoy' });
await call();

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// Both results are needed: the first resets the counts.
await session.post('Profiler.takePreciseCoverage');
const text = await call();
const { result } = await session.post('Profiler.takePreciseCoverage');
const hasRun = ({ functionName, ranges }: Profiler.FunctionCoverage) =>
  functionName !== '' && (ranges[0]?.count ?? 0) > 0;
const files = result
  .filter(({ functions }) => functions.some(hasRun))
  .map((script) => /\/packages\/(?:toolwharf\/)?(.*\.ts)$/.exec(script.url)?.[1]);
process.stdout.write(JSON.stringify({ text, files: files.filter((file) => file !== undefined) }));
