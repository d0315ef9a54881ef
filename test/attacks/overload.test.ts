import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { testProgram } from '../support/test-program.ts';
import { waitFor } from '../support/wait-for.ts';

const isFull = process.env.ATTACKS === 'full';
const scaled = (short: number, full: number) => (isFull ? full : short);
const program = testProgram(new URL('./support/attacked-gateway.ts', import.meta.url));
const unruly = '../../faults/support/unruly-server';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: object) => rpc('tools/call', { name, arguments: args });

interface Target extends AsyncDisposable {
  readonly url: string;
  readonly adminToken: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly child: ChildProcess;
}

/** A gateway in a process with a heap of 512 MB. */
async function startTarget(config: object, keys: Record<string, string>): Promise<Target> {
  const dataDir = await tempDir();
  const setup = JSON.stringify({ config, keys, dataDir: dataDir.path });
  const child = spawn(process.execPath, ['--max-old-space-size=512', program, setup], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
  return {
    ...JSON.parse(line),
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly session: string;
}

/** Sends requests as one client; status 0 means that the connection broke. */
function createSender(url: string, key: string, maxSockets = 50) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return function send(path: string, body?: Buffer | string, headers: Record<string, string> = {}): Promise<Sent> {
    return new Promise((resolve) => {
      const options = {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...json, authorization: `Bearer ${key}`, ...headers },
      };
      const sent = request(url + path, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('close', () => {
          const session = String(response.headers['mcp-session-id'] ?? '');
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString(), session });
        });
        response.on('error', () => {});
      });
      sent.on('error', () => resolve({ status: 0, text: '', session: '' }));
      sent.end(body);
    });
  };
}

/** Repeats an attack with several requests at a time, and counts the responses by status. */
async function flood(count: number, atOnce: number, attack: (n: number) => Promise<{ readonly status: number }>) {
  const statuses = new Map<number, number>();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let n = next++; n < count; n = next++) {
        const { status } = await attack(n);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  return Object.fromEntries(statuses);
}

/** Opens streams and never reads them. */
async function openStreams(target: Target, count: number, headers: Record<string, string>) {
  const statuses: Record<number, number> = {};
  const closing = new AbortController();
  // Referenced until they are closed: `fetch` closes the connection of a response that is garbage-collected.
  const responses: unknown[] = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${target.url}/api/events`, { headers, signal: closing.signal }).catch(
        () => undefined,
      );
      responses.push(response);
      const status = response?.status ?? 0;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  );
  const close = () => {
    closing.abort();
    responses.length = 0;
  };
  return { statuses, close };
}

/** Makes calls whose results are never read. */
function leaveUnread(target: Target, key: string, body: string, session: string, count: number) {
  const sockets = Array.from({ length: count }, () => {
    const sent = request(`${target.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: { ...json, authorization: `Bearer ${key}`, 'mcp-session-id': session },
    });
    sent.on('response', (response) => response.pause()).on('error', () => {});
    sent.end(body);
    return sent;
  });
  return () => sockets.forEach((socket) => void socket.destroy());
}

describe('exhaustion of memory, queues and connections by callers', () => {
  test('a gateway with a heap of 512 MB survives all attacks at once, and serves another caller meanwhile', async () => {
    await using fast = await startHttp('modern-http');
    await using wild = await startHttp(unruly, { TRANSPORT: 'http', JSON: '1' });
    const limits = { maxStreamsPerCaller: 200 };
    const config = {
      servers: {
        own: fixture('modern'),
        s: { url: fast.url },
        wild: { url: wild.url, defaultToolConfig: { timeout: '10m' } },
      },
      profiles: { asking: { approval: { mode: 'always-ask' } } },
      gateway: { requireAuthentication: true, limits },
    };
    await using target = await startTarget(config, {
      victim: 'default',
      caller: 'default',
      asking: 'asking',
      sessions: 'default',
    });
    const { url, keys, adminToken } = target;
    const admin = createSender(url, adminToken);
    const victim = createSender(url, keys.victim ?? '');
    const open = async (send: ReturnType<typeof createSender>, path = '/mcp') =>
      (await send(path, rpc('initialize', initializeParams))).session;
    const victimSession = await open(victim);
    const echo = () => victim('/mcp', callOf('own__echo', { text: 'on' }), { 'mcp-session-id': victimSession });
    await waitFor(async () => (await echo()).text.includes('"on"'));

    let isOver = false;
    const until = async (work: () => Promise<void>) => {
      let rounds = 0;
      for (; !isOver || rounds === 0; rounds++) {
        await work();
        await sleep(20);
      }
      return rounds;
    };
    const served = until(async () => {
      const { status, text } = await echo();
      expect(`${status} ${text}`).toContain('"on"');
    });
    const probed = until(async () => {
      const { status } = await admin('/healthz');
      expect(status).toBe(200);
    });

    const text = 'x'.repeat(3_800_000);
    const capabilities = Buffer.from(
      rpc('initialize', { ...initializeParams, capabilities: { experimental: { text } } }),
    );
    const argument = Buffer.from(JSON.stringify({ arguments: { text } }));
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(200_000)}`;
    const wide = Buffer.from(`[${'{},'.repeat(1_200_000)}{}]`);
    const attacker = createSender(url, keys.caller ?? '', 400);
    const asking = createSender(url, keys.asking ?? '', 100);
    const initializing = createSender(url, keys.sessions ?? '', 20);
    const session = await open(attacker);
    const own = { 'mcp-session-id': session };
    const guess = (n: number) => createSender(url, `tw_${String(n).padStart(43, 'x')}`, 1)('/api/session');
    const closeUnread = leaveUnread(target, keys.caller ?? '', callOf('wild__huge', { megabytes: 9 }), session, 15);
    // Approvals that are accepted wait for a person: the others are counted once the first is refused.
    let refused = 0;
    const isRefusing = Promise.all([sleep(scaled(1_000, 30_000)), waitFor(() => refused > 0)]).then(() => ({
      status: 0,
    }));
    const ask = async () => {
      const response = await asking('/api/tools/mcp_s_echo/call', argument);
      if (response.status === 429 || response.status === 503) refused++;
      return response;
    };
    const attacks = await Promise.all([
      flood(scaled(40, 600), 10, () => initializing('/mcp', capabilities)),
      flood(60, 60, () => Promise.race([ask(), isRefusing])),
      flood(scaled(20, 500), 5, () => attacker('/mcp', deep)),
      flood(scaled(5, 200), 5, () => attacker('/mcp', wide, own)),
      openStreams(target, scaled(300, 3_000), { authorization: `Bearer ${keys.caller}` }),
      flood(scaled(250, 5_000), 10, guess),
      flood(scaled(400, 900), 900, (n) =>
        attacker('/api/tools/mcp_s_sleep/call', JSON.stringify({ arguments: { ms: 500 + n } })),
      ),
      flood(scaled(3, 20), 3, () => attacker('/mcp', callOf('wild__huge', { megabytes: 60 }), own)),
    ]);
    isOver = true;
    const [rounds, probes] = await Promise.all([served, probed]);
    closeUnread();
    attacks[4].close();

    const [initialized, approvals, nested, weighty, streams, guessed, queued, results] = attacks;
    const figures = { initialized, approvals, nested, weighty, streams: streams.statuses, guessed, queued, results };
    console.log(`overload: ${rounds} calls and ${probes} probes meanwhile; responses: ${JSON.stringify(figures)}`);
    expect(target.child.exitCode).toBeNull();
    expect(rounds).toBeGreaterThan(1);
    expect(probes).toBeGreaterThan(1);
    expect(Object.keys(nested)).toEqual(['400']);
    expect(streams.statuses[429]).toBeGreaterThan(0);
    expect(guessed[429]).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(guessed[200]).toBeUndefined();
    await waitFor(async () => (await echo()).text.includes('"on"'));
    const { text: metrics } = await admin('/metrics');
    for (const limit of ['streams', 'request_bytes'])
      expect(metrics).toMatch(new RegExp(`toolwharf_refusals_total\\{limit="${limit}",reason="caller"\\} [1-9]`));
    // Everything that the attacks held is returned, so that they leave nothing behind.
    await waitFor(async () => /toolwharf_limit_used\{limit="streams"\} 0\n/.test((await admin('/metrics')).text));
    const pending = await admin('/api/approvals?status=pending&limit=500');
    expect(pending.status).toBe(200);
    expect(pending.text.length).toBeLessThan(500_000);
  });

  test('a gateway with a heap of 512 MB survives 100 unread results of 9 MB, and disconnects clients that do not read', async () => {
    await using wild = await startHttp(unruly, { TRANSPORT: 'http', JSON: '1' });
    const config = {
      servers: {
        own: fixture('modern'),
        wild: { url: wild.url, defaultToolConfig: { timeout: '10m', maxInstances: 200 } },
        piped: { ...fixture(unruly), defaultToolConfig: { timeout: '10m', maxInstances: 200 } },
      },
      gateway: { requireAuthentication: true },
    };
    await using target = await startTarget(config, { victim: 'default', first: 'default', second: 'default' });
    const { url, keys, adminToken } = target;
    const admin = createSender(url, adminToken);
    const [victim, first, second] = ['victim', 'first', 'second'].map((name) => createSender(url, keys[name] ?? ''));
    if (!victim || !first || !second) throw new Error('There is a key for each caller');
    const open = async (send: ReturnType<typeof createSender>) =>
      (await send('/mcp', rpc('initialize', initializeParams))).session;
    const sessions = { victim: await open(victim), first: await open(first), second: await open(second) };
    const call = (name: string, args: object) =>
      victim('/mcp', callOf(name, args), { 'mcp-session-id': sessions.victim });
    const listed = (name: string) => async () => (await call(name, { text: 'on' })).text.includes('"on"');
    for (const name of ['own__echo', 'wild__echo', 'piped__echo']) await waitFor(listed(name));
    const used = async () => {
      const { text } = await admin('/metrics');
      return Number(/toolwharf_limit_used\{limit="result_bytes"\} (\d+)/.exec(text)?.[1]);
    };

    const huge = { megabytes: 9 };
    const closing = [
      leaveUnread(target, keys.first ?? '', callOf('wild__huge', huge), sessions.first, 40),
      leaveUnread(target, keys.second ?? '', callOf('wild__huge', huge), sessions.second, 40),
      leaveUnread(target, keys.second ?? '', callOf('piped__huge', huge), sessions.second, 20),
    ];
    // These would not be answered if results in progress were not counted before they are complete.
    const stalled = Array.from({ length: 40 }, () =>
      first('/mcp', callOf('wild__stalled', huge), { 'mcp-session-id': sessions.first }),
    );
    expect((await Promise.any(stalled)).text).toMatch(/LIMIT_REACHED|OVERLOADED|RESULT_DISCARDED/);
    const wide = await flood(scaled(10, 20), 10, () =>
      second('/mcp', callOf('wild__wide', huge), { 'mcp-session-id': sessions.second }),
    );
    expect(wide).toEqual({ 200: scaled(10, 20) });
    await waitFor(async () => (await used()) > 9_000_000);
    // Small results are served meanwhile; a large one is served when clients that do not read have been disconnected.
    expect((await call('own__echo', { text: 'on' })).text).toContain('"on"');
    await waitFor(async () => (await call('wild__huge', { megabytes: 5 })).text.length > 5_000_000);
    expect((await call('own__echo', { text: 'on' })).text).toContain('"on"');
    expect(target.child.exitCode).toBeNull();
    expect((await admin('/metrics')).text).toMatch(
      /toolwharf_refusals_total\{limit="result_bytes",reason="\w+"\} [1-9]/,
    );
    for (const close of closing) close();
    // Ends the stalled results.
    await wild[Symbol.asyncDispose]();
    await waitFor(async () => (await used()) === 0);
  });
});
