// A gateway of a fleet as a separate process. Prints its URL, and ends with its parent.
import { flushCompileCache } from 'node:module';
import { createAuthenticate } from '../../packages/gateway/core/auth/authenticate.ts';
import { openGateway } from '../../packages/gateway/core/gateway.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../packages/gateway/features/index.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';

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
  features,
});
console.log(gateway.url);
// Tests kill this process, which would otherwise not save its compiled code for the next one.
flushCompileCache();
