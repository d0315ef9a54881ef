import { setTimeout as wait } from 'node:timers/promises';
import type { LoadClient } from '../../faults/support/load.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { FleetWorld } from './fleet-world.ts';
import type { Random } from './random.ts';

/** Work that goes on until `isOver`. */
export interface LoadParts {
  readonly world: FleetWorld;
  readonly random: Random;
  /** The longest pause of a client between two calls. */
  readonly pauseMs: number;
  readonly isOver: () => boolean;
}

export type Era = 'legacy' | 'auto';

const plainServers = ['legacy', 'modern', 'program'];

/** A client with its own key that makes calls of all kinds, one after the other. */
export async function keepCalling(parts: LoadParts, name: string, era: Era): Promise<void> {
  const { world, random, pauseMs, isOver } = parts;
  const created = await createKey(world, name, isOver);
  const client = created && (await openClient(world, name, era, created.key, isOver));
  if (!client) return;
  await using _client = client;
  for (let nth = 0; !isOver(); nth++) {
    const { answer } = await makeCall(parts, client, name, nth);
    await wait(answer === 'none' ? 500 : random.between(0, pauseMs));
  }
}

async function makeCall({ random }: LoadParts, client: LoadClient, name: string, nth: number) {
  const server = random.pick(plainServers);
  const dice = random.next();
  if (dice < 0.1) return client.call({ tool: 'guarded__act', kind: 'approval' });
  if (dice < 0.25) {
    return client.call({ tool: `${random.pick(['legacy', 'modern'])}__ask_first`, kind: 'elicitation' });
  }
  if (dice < 0.35) {
    const cancel = new AbortController();
    const timer = setTimeout(() => cancel.abort(new Error('no longer needed')), random.between(0, 300));
    const call = await client.call({ tool: `${server}__act`, how: 'slow', kind: 'cancel', signal: cancel.signal });
    clearTimeout(timer);
    return call;
  }
  if (dice < 0.5)
    return repeatByKey(client, { tool: `${server}__act`, key: `${name}-${nth}`, marker: `${name}-${nth}` });
  if (dice < 0.7) {
    const calls = Array.from({ length: 4 }, () => client.call({ tool: 'limited__act', how: 'slow', kind: 'limit' }));
    return (await Promise.all(calls))[0] as Awaited<(typeof calls)[0]>;
  }
  if (dice < 0.75) return client.call({ tool: 'extra__act', kind: 'changing server' });
  if (dice < 0.82) return client.call({ tool: 'paced__act', kind: 'rate' });
  if (dice < 0.89) {
    return client.call({ tool: 'single__act', how: random.pick(['answer', 'slow']), kind: 'single server' });
  }
  return client.call({ tool: `${server}__act`, kind: 'call' });
}

/** Two calls with one key at the same time, and a third one later, whatever became of the first. */
async function repeatByKey(client: LoadClient, same: { tool: string; key: string; marker: string }) {
  const call = { ...same, kind: 'idempotency key' };
  await Promise.all([client.call(call), client.call(call)]);
  return client.call(call);
}

async function createKey(world: FleetWorld, name: string, isOver: () => boolean) {
  while (!isOver()) {
    try {
      return await world.createKey(name);
    } catch {
      await wait(500);
    }
  }
  return undefined;
}

async function openClient(world: FleetWorld, name: string, era: Era, key: string, isOver: () => boolean) {
  const headers = { authorization: `Bearer ${key}` };
  while (!isOver()) {
    try {
      return await world.load.open(world.url, name, { era, headers, answersQuestions: true, timeoutMs: 15_000 });
    } catch {
      await wait(500);
    }
  }
  return undefined;
}

/** Answers each approval at random, twice at the same time: the first answer counts. */
export async function keepAnswering({ world, random, pauseMs, isOver }: LoadParts): Promise<void> {
  while (!isOver()) {
    await wait(Math.max(100, pauseMs / 4));
    const pending = await world.admin('GET', '/api/approvals?status=pending').catch(() => undefined);
    const { approvals = [] } = (pending?.status === 200 ? pending.body : {}) as {
      approvals?: { id: string; arguments: { marker: string } }[];
    };
    for (const { id, arguments: args } of approvals) {
      const answer = random.pick(['allow', 'deny'] as const);
      const decide = async () => {
        const { status, body } = await world.admin('POST', `/api/approvals/${id}/answer`, { answer });
        const decided = (body as { status?: string }).status;
        if (status === 200 && decided) world.decisions.push({ marker: args.marker, answer });
      };
      await Promise.allSettled([decide(), decide()]);
    }
  }
}

/** Adds a server over the API, and removes it. */
export async function keepChangingServers({ world, random, isOver }: LoadParts): Promise<number> {
  let changes = 0;
  while (!isOver()) {
    const server = { name: 'extra', transport: 'http', url: world.extraServer };
    if (await attempt(world, 'POST', '/api/servers', server)) changes++;
    await wait(random.between(500, 2_000));
    // Ends calls that the server is running, on other replicas a moment later.
    await world.breaking(
      'removal of a server',
      async () => {
        if (await attempt(world, 'DELETE', '/api/servers/extra')) changes++;
        await wait(1_000);
      },
      { servers: ['extra'] },
    );
  }
  return changes;
}

/** Clients whose key is revoked while they call; they go on for a while. */
export async function keepRevoking({ world, random, pauseMs, isOver }: LoadParts): Promise<void> {
  for (let nth = 0; !isOver(); nth++) {
    const name = `guest-${nth}`;
    const created = await createKey(world, name, isOver);
    const client = created && (await openClient(world, name, nth % 2 ? 'auto' : 'legacy', created.key, isOver));
    if (!client) return;
    await using _client = client;
    let revokedAt: number | undefined;
    const calling = (async () => {
      for (let after = 0; after < 10; ) {
        await client.call({ tool: 'modern__act', kind: 'revoked key' });
        await wait(random.between(0, Math.max(250, pauseMs / 3)));
        if (revokedAt !== undefined || isOver()) after++;
      }
    })();
    await wait(random.between(200, 800));
    while (!isOver() && !(await attempt(world, 'DELETE', `/api/keys/${created.id}`))) await wait(200);
    if (!isOver()) {
      revokedAt = Date.now();
      world.revocations.push({ client: name, at: revokedAt });
    }
    await calling;
  }
}

async function attempt(world: FleetWorld, method: string, path: string, body?: unknown): Promise<boolean> {
  const answer = await world.admin(method, path, body).catch(() => undefined);
  return answer !== undefined && answer.status < 300;
}

/** Waits until every call in the journal has ended. */
export async function waitForEnds(world: FleetWorld): Promise<void> {
  let open: readonly unknown[] = [];
  const what = () => `the end of every call: ${JSON.stringify(open).slice(0, 4_000)}`;
  const hasNone = async () => {
    open = await world.openCalls();
    return open.length === 0;
  };
  // A question whose client has gone is withdrawn after a minute, by the previous version after five.
  await waitFor(hasNone, { what, timeoutMs: 500_000 });
}
