// A gateway in a separate process on a SQLite file, which tests kill. The header `x-caller` names the caller. If the
// configuration is a path, the file is watched. Prints its URL as JSON, and after each SIGUSR2 the bytes in use after a
// garbage collection (needs --expose-gc).
import { createHash } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { everyPermission } from '../../../packages/gateway/core/auth/identity.ts';
import { openGateway } from '../../../packages/gateway/core/gateway.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../../packages/gateway/features/index.ts';
import { silentLog } from '../../../packages/toolwharf/kernel/log.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';

const { config, dataDir, port } = JSON.parse(process.argv[2] ?? '{}') as {
  config: object | string;
  dataDir: string;
  port: number;
};
const key = createHash('sha256').update('a key for tests').digest();
const gateway = await openGateway(config as never, {
  storage: await openStorage({ kind: 'sqlite', file: `${dataDir}/toolwharf.db`, sealer: createSealer(key) }),
  log: silentLog,
  sessionKey: key,
  port,
  watch: typeof config === 'string',
  createAuthenticate: () => async (request) => ({
    caller: { id: String(request.headers['x-caller'] ?? 'local'), kind: 'client' },
    permissions: everyPermission,
  }),
  features,
});
console.log(JSON.stringify({ url: `${gateway.url}/mcp` }));
// Tests kill this process, which would otherwise not save its compiled code for the next one.
flushCompileCache();
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  console.log(JSON.stringify({ bytes: heapUsed + external }));
});
process.on('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
