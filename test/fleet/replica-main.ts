// A gateway of a fleet as a separate process. Prints its URL, and ends with its parent.
import { flushCompileCache } from 'node:module';
import { createApiRoutes } from '../../src/gateway/api/create-routes.ts';
import { createAuthenticate } from '../../src/gateway/auth/authenticate.ts';
import { openGateway } from '../../src/gateway/gateway.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createSealer } from '../../src/storage/sealer.ts';

// The parent holds the other end of stdin.
process.stdin.on('end', () => process.exit()).resume();

const { url, key, leaseMs, config } = JSON.parse(process.argv[2] ?? '{}');
const masterKey = Buffer.from(key, 'hex');
const storage = await openStorage({ kind: 'postgres', url, sealer: createSealer(masterKey), leaseMs });
const gateway = await openGateway(config, {
  storage,
  log: silentLog,
  sessionKey: masterKey,
  port: 0,
  createAuthenticate,
  createRoutes: createApiRoutes,
});
console.log(gateway.url);
// Tests kill this process, which would otherwise not save its compiled code for the next one.
flushCompileCache();
