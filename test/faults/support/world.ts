import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { everyPermission } from '../../../packages/gateway/core/auth/identity.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../../packages/toolwharf/storage/sealer.ts';
import { fixture, type HttpServer, type Program, startHttp, tempDir } from '../../support/fixtures.ts';
import { type OpenedGateway, openTestGateway } from '../../support/open-gateway.ts';
import { checkHistory, type Effect, type Fault, type Finding, type RecordedCall } from './check-history.ts';
import { type GatewayProcess, type GatewayProcessOptions, startGatewayProcess } from './gateway-process.ts';
import { createLoad, type Load } from './load.ts';

/** The files, processes and history of one fault test. */
export interface World extends AsyncDisposable {
  readonly directory: string;
  readonly database: string;
  /** While this file is missing, calls with `how: 'hold'` wait. */
  readonly holdFile: string;
  readonly load: Load;
  readonly faults: readonly Fault[];
  /** The recording server as a program. */
  program(env?: Readonly<Record<string, string>>): Program;
  /** The same over HTTP, running. */
  serve(env?: Readonly<Record<string, string>>): Promise<HttpServer>;
  /** A gateway as a separate process. */
  start(config: object | string, options?: Pick<GatewayProcessOptions, 'port' | 'shell'>): Promise<GatewayProcess>;
  /** A gateway in this process, which starts faster. */
  open(config: object): Promise<OpenedGateway>;
  /** Injects a fault and records its time span. */
  breaking<Result>(
    kind: string,
    work: () => Result | Promise<Result>,
    about?: Pick<Fault, 'ofJournal' | 'servers'>,
  ): Promise<Result>;
  effects(): Promise<readonly Effect[]>;
  /** The number of journalled calls in a state, while a gateway runs. */
  countCalls(status: string): number;
  /** Reads the journal and verifies its chain. No gateway may run. */
  records(): Promise<readonly RecordedCall[]>;
  /** Findings of the history checker. No gateway may run. */
  findings(): Promise<readonly Finding[]>;
}

const recordingServer = '../../faults/support/recording-server';
const testKey = createHash('sha256').update('a key for tests').digest();

export async function openWorld(): Promise<World> {
  const dir = await tempDir();
  const database = dir.file('toolwharf.db');
  const load = createLoad();
  const faults: Fault[] = [];
  const environment = { EFFECTS: dir.file('effects'), HOLD: dir.file('hold') };

  async function effects(): Promise<readonly Effect[]> {
    const text = await readFile(environment.EFFECTS, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Effect);
  }

  async function records(): Promise<readonly RecordedCall[]> {
    await using storage = await openStorage({ kind: 'sqlite', file: database, sealer: createSealer(testKey) });
    for await (const problem of storage.audit.verify())
      throw new Error(`The journal is damaged: ${JSON.stringify(problem)}`);
    const found: RecordedCall[] = [];
    for (let before: string | undefined; ; ) {
      const page = await storage.journal.list({ limit: 500, ...(before !== undefined && { before }) });
      for (const { id, arguments: args, caller, status, end, startedAt } of page) {
        const { marker, client } = args;
        // The history ignores tools of other servers.
        if (typeof marker !== 'string') continue;
        found.push({
          id,
          marker,
          client: String(client),
          caller: caller.id,
          status,
          ...(end && { end }),
          ...(status === 'error' && startedAt === undefined && { isUnsent: true }),
        });
      }
      before = page.at(-1)?.id;
      if (page.length < 500) return found;
    }
  }

  return {
    directory: dir.path,
    database,
    holdFile: environment.HOLD,
    load,
    faults,
    program: (env = {}) => fixture(recordingServer, { ...environment, ...env }),
    serve: (env = {}) => startHttp(recordingServer, { ...environment, TRANSPORT: 'http', ...env }),
    start: (config, options = {}) => startGatewayProcess({ config, dataDir: dir.path, ...options }),
    async open(config) {
      const storage = await openStorage({ kind: 'sqlite', file: database, sealer: createSealer(testKey) });
      return openTestGateway(config as never, {
        storage,
        createAuthenticate: () => async (request) => ({
          caller: { id: String(request.headers['x-caller'] ?? 'local'), kind: 'client' },
          permissions: everyPermission,
        }),
      });
    },
    async breaking(kind, work, about = {}) {
      const at = faults.push({ kind, from: Date.now(), ...about }) - 1;
      try {
        return await work();
      } finally {
        faults[at] = { ...(faults[at] as Fault), until: Date.now() };
      }
    },
    effects,
    countCalls(status) {
      using open = new DatabaseSync(database, { readOnly: true });
      return Number(open.prepare('select count(*) as found from calls where status = ?').get(status)?.found);
    },
    records,
    async findings() {
      return checkHistory({ effects: await effects(), calls: load.calls, records: await records(), faults });
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
