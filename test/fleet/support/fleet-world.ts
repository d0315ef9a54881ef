import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gatewayDefaults } from '../../../packages/contract/settings/defaults.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';
import type { Effect, Fault, RecordedCall } from '../../faults/support/check-history.ts';
import { type FaultProxy, openFaultProxy } from '../../faults/support/fault-proxy.ts';
import { createLoad, type Load } from '../../faults/support/load.ts';
import { fixture, type HttpServer, startHttp, tempDir } from '../../support/fixtures.ts';
import type { TestPostgres } from '../../support/postgres.ts';
import { startBalancer } from './balancer.ts';
import { checkFleet, type Decision, type FleetFinding, type Revocation } from './check-fleet.ts';
import { type ReplicaProcess, startReplica } from './replica-process.ts';

/** One replica, which may be replaced by a new process, and its connection to the database. */
export interface ReplicaPlace {
  process: ReplicaProcess;
  readonly database: FaultProxy;
  /** Starts a new process on the same port. */
  restart(): Promise<void>;
}

/** Replicas as processes, their database, servers and balancer, with a fault proxy between all of them. */
export interface FleetWorld extends AsyncDisposable {
  readonly replicas: readonly ReplicaPlace[];
  readonly postgres: TestPostgres;
  /** Between clients and balancer. */
  readonly front: FaultProxy;
  /** Between replicas and servers, by server. */
  readonly upstreams: Readonly<Record<string, FaultProxy>>;
  /** An address of a server that no configuration names. */
  readonly extraServer: string;
  /** The address that clients use. */
  readonly url: string;
  readonly load: Load;
  readonly faults: readonly Fault[];
  readonly decisions: Decision[];
  readonly revocations: Revocation[];
  readonly leaseMs: number;
  /** Sends a request to the API as an administrator, through the balancer but past the proxy. */
  admin(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: never }>;
  /** Creates a key; calls with it are recorded for the client `name`. */
  createKey(name: string): Promise<{ readonly id: string; readonly key: string }>;
  /** Injects a fault and records its time span. */
  breaking(kind: string, work: () => Promise<unknown>, about?: Partial<Fault>): Promise<void>;
  effects(): Promise<readonly Effect[]>;
  /** The calls in the journal that have not ended, and whether their replica is registered. */
  openCalls(): Promise<readonly unknown[]>;
  records(): Promise<readonly RecordedCall[]>;
  findings(): Promise<readonly FleetFinding[]>;
}

export interface FleetWorldOptions {
  readonly postgres: TestPostgres;
  /** The default of the gateway if undefined. */
  readonly leaseMs?: number;
  /** 3. */
  readonly replicas?: number;
}

const recordingServer = '../../faults/support/recording-server';
const limits = { limited: 2 };
const rates = { paced: { calls: 3, perMs: 1_000 } };

export async function openFleetWorld(options: FleetWorldOptions): Promise<FleetWorld> {
  const { postgres, leaseMs, replicas: count = 3 } = options;
  await using opened = new AsyncDisposableStack();
  const dir = opened.use(await tempDir());
  const effectsFile = dir.file('effects');
  const key = randomBytes(32);
  const databaseUrl = await postgres.createUrl();
  const load = createLoad();
  const faults: Fault[] = [];
  const decisions: Decision[] = [];
  const revocations: Revocation[] = [];
  const callers = new Map<string, string>();

  const serve = async (env: Record<string, string>): Promise<HttpServer> =>
    opened.use(await startHttp(recordingServer, { EFFECTS: effectsFile, TRANSPORT: 'http', SLOW_MS: '300', ...env }));
  const legacy = await serve({ ERA: 'legacy' });
  const modern = await serve({ ERA: 'modern' });
  const limited = await serve({ ERA: 'legacy' });
  const extra = await serve({ ERA: 'modern' });
  const upstreams = {
    legacy: opened.use(await openFaultProxy(portOf(legacy.url))),
    modern: opened.use(await openFaultProxy(portOf(modern.url))),
  };
  const configFile = dir.file('toolwharf.json');
  const timeouts = { defaultToolConfig: { timeout: '5s' }, timeout: '10s' };
  const config = {
    servers: {
      legacy: { url: upstreams.legacy.through(legacy.url), ...timeouts },
      modern: { url: upstreams.modern.through(modern.url), ...timeouts },
      // No fault here: a delayed request would reach the server when its call has ended long ago.
      limited: { url: limited.url, timeout: '10s', defaultToolConfig: { timeout: '5s', maxInstances: limits.limited } },
      program: { ...fixture(recordingServer, { EFFECTS: effectsFile }), ...timeouts },
      paced: { url: modern.url, ...timeouts, rate: { calls: rates.paced.calls, per: rates.paced.perMs } },
      single: { ...fixture(recordingServer, { EFFECTS: effectsFile }), ...timeouts, placement: 'single' as const },
      guarded: { url: upstreams.legacy.through(legacy.url), ...timeouts },
    },
    toolbox: { approval: { ask: ['mcp_guarded_*'] } },
    gateway: { requireAuthentication: true, questionTimeout: '1m', ...(leaseMs !== undefined && { lease: leaseMs }) },
  };
  await writeFile(configFile, JSON.stringify(config));

  const places: ReplicaPlace[] = [];
  for (let index = 0; index < count; index++) {
    const dataDir = dir.file(`replica-${index}`);
    await mkdir(dataDir);
    const database = opened.use(await openFaultProxy(portOf(databaseUrl)));
    const common = { database: database.through(databaseUrl), configFile, dataDir, key: key.toString('base64') };
    const place: ReplicaPlace = {
      process: await startReplica(common),
      database,
      async restart() {
        place.process = await startReplica({ ...common, port: place.process.port });
      },
    };
    opened.defer(() => place.process.end('SIGKILL'));
    places.push(place);
  }
  const balancer = opened.use(await startBalancer(places.map(({ process: { url } }) => url)));
  const front = opened.use(await openFaultProxy(balancer.port));
  const adminToken = (await readFile(dir.file('replica-0/admin-token'), 'utf8')).trim();

  async function admin(method: string, path: string, body?: unknown) {
    const response = await fetch(new URL(path, balancer.url), {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as never };
  }

  async function effects(): Promise<readonly Effect[]> {
    const text = await readFile(effectsFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Effect);
  }

  async function records(): Promise<readonly RecordedCall[]> {
    await using storage = await openStorage({ kind: 'postgres', url: databaseUrl, sealer: createSealer(key) });
    for await (const problem of storage.audit.verify())
      throw new Error(`The journal is damaged: ${JSON.stringify(problem)}`);
    const found: RecordedCall[] = [];
    for (let before: string | undefined; ; ) {
      const page = await storage.journal.list({ limit: 500, ...(before !== undefined && { before }) });
      for (const { id, arguments: args, caller, status, end, error, startedAt, completedAt } of page) {
        const { marker, client } = args;
        if (typeof marker !== 'string') continue;
        found.push({
          ...{ id, marker, client: String(client), caller: callers.get(caller.id) ?? caller.id, status },
          ...(end && { end }),
          ...(status === 'error' && startedAt === undefined && { isUnsent: true }),
          ...(error && { code: error.code }),
          ...(completedAt !== undefined && { endedAt: Date.parse(completedAt) }),
        });
      }
      before = page.at(-1)?.id;
      if (page.length < 500) return found;
    }
  }

  /** Calls that were sent although an earlier step ended them. */
  async function findSentAfterEnd(): Promise<readonly string[]> {
    const rows = await postgres.query(
      databaseUrl,
      `select distinct later.body::json -> 'arguments' ->> 'marker' as marker
       from steps earlier join steps later on later.call_id = earlier.call_id and later.seq > earlier.seq
       where earlier.body::json ->> 'status' in ('success', 'error') and later.body::json ->> 'status' = 'running'`,
    );
    return rows.map(({ marker }) => String(marker));
  }

  /** The steps of the calls with a marker, without their arguments and results. */
  function readSteps(marker: string): Promise<readonly unknown[]> {
    return postgres.query(
      databaseUrl,
      `select seq, call_id, at, body::json ->> 'status' as status, body::json ->> 'end' as end, body::json ->> 'replica' as replica,
         body::json -> 'error' as error, body::json -> 'approval' as approval, body::json -> 'awaiting' as awaiting
       from steps where body::json -> 'arguments' ->> 'marker' = '${marker}' order by seq`,
    );
  }

  const running = opened.move();
  return {
    replicas: places,
    postgres,
    front,
    upstreams,
    extraServer: extra.url,
    url: `${front.through(balancer.url)}mcp`,
    load,
    faults,
    decisions,
    revocations,
    leaseMs: leaseMs ?? gatewayDefaults.leaseMs,
    admin,
    async createKey(name) {
      const { status, body } = await admin('POST', '/api/keys', { name });
      if (status !== 201) throw new Error(`No key for ${name}: ${status} ${JSON.stringify(body)}`);
      const { id, key: text } = body as { id: string; key: string };
      callers.set(`key:${id}`, name);
      return { id, key: text };
    },
    async breaking(kind, work, about = {}) {
      const at = faults.push({ kind, from: Date.now(), ...about }) - 1;
      try {
        await work();
      } finally {
        faults[at] = { ...(faults[at] as Fault), until: Date.now() };
      }
    },
    effects,
    openCalls: () =>
      postgres.query(
        databaseUrl,
        `select calls.status, calls.owner, steps.body, exists (select from owners where id = calls.owner) as "isOwned"
         from calls join steps using (seq) where calls.status in ('pending', 'running')`,
      ),
    records,
    async findings() {
      const [found, recorded, sentAfterEnd] = [await effects(), await records(), await findSentAfterEnd()];
      const seen = { effects: found, calls: load.calls, records: recorded, faults };
      const findings = checkFleet({
        ...seen,
        decisions,
        revocations,
        sentAfterEnd,
        limits,
        rates,
        singles: ['single'],
      });
      return Promise.all(
        findings.map(async (finding) => {
          const isAbout = ({ marker }: { readonly marker: string }) => marker === finding.marker;
          const evidence = {
            calls: load.calls.filter(isAbout),
            effects: found.filter(isAbout),
            steps: await readSteps(finding.marker),
          };
          return { ...finding, evidence };
        }),
      );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
