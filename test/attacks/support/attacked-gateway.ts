// A gateway with its own authentication, API and SQLite file in a separate process. Prints its URL and credentials as JSON.
import { createHash, randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { createApiKey } from '../../../packages/gateway/core/auth/api-keys.ts';
import { createAuthenticate } from '../../../packages/gateway/core/auth/authenticate.ts';
import { openGateway } from '../../../packages/gateway/core/gateway.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { features } from '../../../packages/gateway/features/index.ts';
import { silentLog } from '../../../packages/toolwharf/kernel/log.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';

const { config, dataDir, keys } = JSON.parse(process.argv[2] ?? '{}') as {
  config: object;
  dataDir: string;
  /** The name and profile of each key. */
  keys: Record<string, string>;
};
const sessionKey = createHash('sha256').update('a key for tests').digest();
const storage = await openStorage({
  kind: 'sqlite',
  file: `${dataDir}/toolwharf.db`,
  sealer: createSealer(sessionKey),
});
const adminToken = `twadmin_${randomBytes(32).toString('base64url')}`;
const created: Record<string, string> = {};
for (const [name, profile] of Object.entries(keys)) {
  const { key, record } = createApiKey({ name, profile, rights: ['read', 'call'] });
  await storage.keys.add(record);
  created[name] = key;
}
const gateway = await openGateway(config as never, {
  storage,
  log: silentLog,
  sessionKey,
  port: 0,
  adminToken,
  watch: false,
  createAuthenticate,
  features,
});
console.log(JSON.stringify({ url: gateway.url, adminToken, keys: created }));
// Tests kill this process, which would otherwise not save its compiled code for the next one.
flushCompileCache();
process.on('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
