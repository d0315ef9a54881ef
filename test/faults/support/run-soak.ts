import { rename, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { fixture } from '../../support/fixtures.ts';
import { checkHistory, type Fault, type Finding, type SentCall } from './check-history.ts';
import { type FaultProxy, openFaultProxy, type ProxyFault } from './fault-proxy.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { LoadClient } from './load.ts';
import { type Growth, growthOf, longestOf, type Sample, takeSample } from './soak-figures.ts';
import { openWorld, type World } from './world.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly clients: number;
  /** Ends the run early, including the final checks. */
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

export interface SoakReport {
  /** The actual duration. */
  readonly minutes: number;
  readonly calls: number;
  readonly answered: number;
  readonly unknown: number;
  readonly effects: number;
  readonly records: number;
  /** Calls that ended before they were recorded: rejected, or lost when the gateway was killed. */
  readonly withoutRecord: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly growth: readonly Growth[];
  readonly findings: readonly Finding[];
  /** Calls in neither of the two counts above. */
  readonly missing: readonly SentCall[];
  readonly isGood: boolean;
}

/** Runs a steady load with random faults and configuration changes, then checks the history. */
export async function runSoak({ minutes, clients, signal, onProgress }: SoakOptions): Promise<SoakReport> {
  await using world = await openWorld();
  await using legacy = await world.serve({ ERA: 'legacy' });
  await using modern = await world.serve({ ERA: 'modern', JSON: '1' });
  await using toLegacy = await openFaultProxy(Number(new URL(legacy.url).port));
  await using toModern = await openFaultProxy(Number(new URL(modern.url).port));
  const configFile = `${world.directory}/toolwharf.json`;
  const limits = { defaultToolConfig: { timeout: '2s' }, timeout: '3s' };
  const servers = {
    stdio: { ...world.program(), ...limits },
    stdio_modern: { ...world.program({ ERA: 'modern' }), ...limits },
    http: { url: toLegacy.through(legacy.url), ...limits },
    http_modern: { url: toModern.through(modern.url), ...limits },
    wild: fixture('../../faults/support/unruly-server'),
  };
  await writeConfig(configFile, { servers });

  let gateway = await world.start(configFile);
  await using _gateway = { [Symbol.asyncDispose]: () => gateway.end('SIGKILL') };
  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  const isOver = () => signal.aborted || performance.now() > endsAt;
  const sources = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      world.load.open(gateway.url, `client-${index}`, { era: index % 2 ? 'auto' : 'legacy' }),
    ),
  );
  const load = sources.map((client) => keepCalling(world, client, Object.keys(servers).slice(0, 4), isOver));

  const kinds = faultsOf({ world, proxies: { http: toLegacy, http_modern: toModern }, sources, configFile, servers });
  const samples: Sample[][] = [];
  let told = performance.now();
  for (let life = 0; !isOver(); life++) {
    const killAt = performance.now() + lifeOf(life) * minutes * 60_000;
    const own: Sample[] = [];
    samples.push(own);
    while (!isOver() && performance.now() < killAt) {
      await wait(500 + Math.random() * 2_500);
      // Sampled between faults, so that no fault affects the sample.
      own.push(await takeSample(gateway));
      const { kind, run, ...about } = pick(kinds)();
      await world.breaking(kind, run, about);
      if (performance.now() - told < 30_000) continue;
      told = performance.now();
      onProgress(`${world.load.calls.length} calls, ${world.faults.length} faults, ${JSON.stringify(own.at(-1))}`);
    }
    if (!isOver()) gateway = await world.breaking('kill', () => restart(world, gateway, configFile));
  }
  await Promise.all(load);
  await Promise.all(sources.map((client) => client[Symbol.asyncDispose]()));
  await gateway.end('SIGTERM');
  // Awaited here, because the world deletes its files when it closes.
  return await reportOn(world, longestOf(samples), Math.round((performance.now() - startedAt) / 6_000) / 10);
}

/** The lifetime of the nth process as a fraction of the run. Every sixth process lives long enough to show growth. */
function lifeOf(nth: number): number {
  const lives = [0.01, 0.03, 0.005, 0.02, 0.1, 0.3];
  return (lives[nth % lives.length] ?? 0) * (0.8 + Math.random() * 0.4);
}

async function reportOn(world: World, samples: readonly Sample[], minutes: number): Promise<SoakReport> {
  const { calls } = world.load;
  const [effects, records] = [await world.effects(), await world.records()];
  const recorded = new Set(records.map(({ marker }) => marker));
  const without = new Set(calls.filter(({ marker }) => !recorded.has(marker)).map(({ marker }) => marker));
  const kills = world.faults.filter(({ kind }) => kind === 'kill');
  const missing = calls.filter(({ marker, answer, code, sentAt, endedAt = sentAt }) => {
    if (!without.has(marker)) return false;
    const wasKilled = kills.some(({ from, until = from }) => from <= endedAt && until >= sentAt);
    return (
      !(answer === 'none' && wasKilled) && !['JOURNAL_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'RPC'].includes(code ?? '')
    );
  });
  const findings = checkHistory({ effects, calls, records, faults: world.faults });
  const growth = growthOf(samples);
  const faults: Record<string, number> = {};
  for (const { kind } of world.faults) faults[kind] = (faults[kind] ?? 0) + 1;
  return {
    minutes,
    calls: new Set(calls.map(({ marker }) => marker)).size,
    answered: calls.filter(({ answer }) => answer === 'success').length,
    unknown: records.filter(({ end }) => end === 'unknown-outcome').length,
    effects: effects.length,
    records: records.length,
    withoutRecord: without.size,
    faults,
    growth,
    findings,
    missing,
    isGood: findings.length === 0 && missing.length === 0 && growth.every(({ ok }) => ok),
  };
}

/** Makes calls in sequence. Some are slow, repeated under one key, cut off, or never answered. */
async function keepCalling(world: World, client: LoadClient, servers: readonly string[], isOver: () => boolean) {
  while (!isOver()) {
    const server = pick(servers);
    const tool = `${server}__act`;
    const about = { servers: [server] };
    const dice = Math.random();
    if (dice < 0.002) await world.breaking('hang', () => client.call({ tool, how: 'hang' }), about);
    else if (dice < 0.006) await world.breaking('cut', () => client.call({ tool, how: 'cut' }), about);
    else if (dice < 0.05) await client.call({ tool, how: 'slow' });
    else if (dice < 0.1) {
      const same = { tool, key: String(dice), marker: `keyed-${dice}` };
      await Promise.all([client.call(same), client.call(same)]);
    } else if ((await client.call({ tool })).answer === 'none') await settle();
    await wait(Math.random() * 40);
  }
}

/** A fault: its kind, its target, and the function that injects it. */
interface SoakFault extends Pick<Fault, 'kind' | 'servers'> {
  readonly run: () => Promise<void>;
}

function faultsOf(parts: {
  readonly world: World;
  readonly proxies: Readonly<Record<string, FaultProxy>>;
  readonly sources: readonly LoadClient[];
  readonly configFile: string;
  readonly servers: Readonly<Record<string, object>>;
}): readonly (() => SoakFault)[] {
  const { world, proxies, sources, configFile, servers } = parts;
  const lasting = (kind: string, fault: ProxyFault) => () => {
    const [server, proxy] = pick(Object.entries(proxies));
    const run = async () => {
      proxy.set(fault);
      await wait(200 + Math.random() * 1_500);
      proxy.set({});
      proxy.end('close');
      await settle();
    };
    return { kind, servers: [server], run };
  };
  const ending = (how: 'reset' | 'half-open' | 'close') => () => {
    const [server, proxy] = pick(Object.entries(proxies));
    const run = async () => {
      proxy.end(how);
      await settle();
      // Calls on a dead connection end at their deadline.
      if (how === 'half-open') await wait(3_000);
    };
    return { kind: how, servers: [server], run };
  };
  const crashing = () => {
    const server = pick(['stdio', 'stdio_modern']);
    return { kind: 'crash', servers: [server], run: () => crash(pick(sources), server) };
  };
  return [
    lasting('latency', { latencyMs: 150 }),
    lasting('narrow', { bytesPerSecond: 4_000 }),
    lasting('lost questions', { drop: 'to-server' }),
    lasting('lost answers', { drop: 'to-client' }),
    lasting('partition', { drop: 'both' }),
    lasting('reset in mid-frame', { resetAfterBytes: 60 }),
    lasting('refused', { refuse: true }),
    ending('reset'),
    ending('half-open'),
    ending('close'),
    crashing,
    // These faults affect no other server.
    () => ({ kind: 'storm', servers: ['wild'], run: () => storm(pick(sources)) }),
    () => ({ kind: 'configuration', servers: ['extra', 'wild'], run: () => changeConfig(configFile, servers) }),
    () => ({ kind: 'journal held', run: () => holdJournal(world) }),
  ];
}

/** After this time, calls that a fault affected have ended. */
const settle = () => wait(1_000);

async function crash(source: LoadClient, server: string): Promise<void> {
  await source.call({ tool: `${server}__act`, how: 'crash' });
  await settle();
}

async function storm(source: LoadClient): Promise<void> {
  await source.other('wild__storm', { count: 20_000, over: '' });
}

async function holdJournal(world: World): Promise<void> {
  using other = new DatabaseSync(world.database);
  other.exec('pragma busy_timeout = 5000; begin immediate');
  await wait(1_500);
  other.exec('rollback');
  await settle();
}

/** Adds a server, changes one, or writes an invalid file; then restores the configuration. */
async function changeConfig(file: string, servers: Readonly<Record<string, object>>): Promise<void> {
  const more = { ...servers, extra: fixture('legacy') };
  const anew = { ...servers, wild: { ...servers.wild, description: `described at ${Date.now()}` } };
  await pick([
    () => writeConfig(file, { servers: more }),
    () => writeConfig(file, { servers: anew }),
    () => writeConfig(file, { servers: 'none' }),
  ])();
  await wait(2_000);
  await writeConfig(file, { servers });
  await settle();
}

async function restart(world: World, gateway: GatewayProcess, config: string): Promise<GatewayProcess> {
  await gateway.end('SIGKILL');
  const next = await world.start(config, { port: gateway.port });
  await settle();
  return next;
}

async function writeConfig(file: string, config: object): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(config));
  await rename(`${file}.new`, file);
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
