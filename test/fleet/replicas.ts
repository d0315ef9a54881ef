import { randomBytes } from 'node:crypto';
import type { ConfigSource } from '../../packages/toolwharf/index.ts';
import { createPostgresWorkspace, type PostgresWorkspace } from '../storage/kinds.ts';
import { startApi, type TestApi } from '../support/api.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { startBalancer } from './support/balancer.ts';

export interface Replicas extends AsyncDisposable {
  readonly all: readonly [TestApi, TestApi, ...TestApi[]];
  /** A balancer that sends each request to the next replica. */
  readonly url: string;
  readonly adminToken: string;
  readonly database: PostgresWorkspace;
}

/** Starts gateways on one database, behind a balancer without stickiness. */
export async function startReplicas(postgres: TestPostgres, source: ConfigSource, count = 2): Promise<Replicas> {
  const workspace = await createPostgresWorkspace(postgres);
  await using started = new AsyncDisposableStack();
  const sessionKey = randomBytes(32);
  const adminToken = `twadmin_${randomBytes(32).toString('base64url')}`;
  const all: TestApi[] = [];
  for (let index = 0; index < count; index++) {
    const { storage } = await workspace.openReplica();
    const api = await startApi(source, { storage, sessionKey, adminToken });
    all.push(started.use(Object.assign(api, { adminToken })));
  }
  const balancer = started.use(await startBalancer(all.map(({ url }) => url)));
  const running = started.move();
  return {
    all: all as [TestApi, TestApi, ...TestApi[]],
    url: balancer.url,
    adminToken,
    database: workspace,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
