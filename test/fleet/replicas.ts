import { randomBytes } from 'node:crypto';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConfigSource } from '../../src/index.ts';
import { createPostgresWorkspace } from '../storage/kinds.ts';
import { startApi, type TestApi } from '../support/api.ts';
import type { TestPostgres } from '../support/postgres.ts';

export interface Replicas extends AsyncDisposable {
  readonly all: readonly [TestApi, TestApi, ...TestApi[]];
  /** A balancer that sends each request to the next replica. */
  readonly url: string;
  readonly adminToken: string;
  readonly database: Awaited<ReturnType<typeof createPostgresWorkspace>>;
}

/** Starts gateways on one database, behind a balancer without stickiness. */
export async function startReplicas(postgres: TestPostgres, source: ConfigSource, count = 2): Promise<Replicas> {
  const workspace = await createPostgresWorkspace(postgres);
  await using started = new AsyncDisposableStack();
  const sessionKey = randomBytes(32);
  const adminToken = `twadmin_${randomBytes(32).toString('base64url')}`;
  const all: TestApi[] = [];
  for (let index = 0; index < count; index++) {
    const storage = await workspace.open({ leaseMs: 600_000 });
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

/** Forwards each request to the next of several addresses. */
async function startBalancer(urls: readonly string[]): Promise<AsyncDisposable & { readonly url: string }> {
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? '/', urls[next++ % urls.length]);
    const { host: _host, ...headers } = incoming.headers;
    const forwarded = send(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
