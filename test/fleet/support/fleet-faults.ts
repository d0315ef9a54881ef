import { setTimeout as wait } from 'node:timers/promises';
import type { ProxyFault } from '../../faults/support/fault-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { FleetWorld, ReplicaPlace } from './fleet-world.ts';
import type { Random } from './random.ts';

/** Injects one fault and waits until it is over. */
export type FleetFault = (world: FleetWorld, random: Random) => Promise<void>;

/** Every kind of fault by name. */
export const fleetFaults: Readonly<Record<string, FleetFault>> = {
  'kill of a replica': async (world, random) => {
    const replica = random.pick(world.replicas);
    await replica.process.end('SIGKILL');
    await wait(random.between(0, world.leaseMs * 1.5));
    await replica.restart();
  },
  'kill of two replicas': async (world, random) => {
    const spared = random.pick(world.replicas);
    const killed = world.replicas.filter((replica) => replica !== spared);
    await Promise.all(killed.map((replica) => replica.process.end('SIGKILL')));
    await wait(random.between(0, world.leaseMs * 1.5));
    await Promise.all(killed.map((replica) => replica.restart()));
  },
  'restart of a replica': async (world, random) => {
    const replica = random.pick(world.replicas);
    await replica.process.end('SIGTERM');
    await replica.restart();
  },
  'replica stopped within its lease': (world, random) => stop(world, random, world.leaseMs * 0.4),
  'replica stopped past its lease': (world, random) => stop(world, random, world.leaseMs * 2),
  'replica cut off from the database within its lease': (world, random) =>
    cutOff(world, random, { drop: 'both' }, world.leaseMs * 0.4),
  'replica cut off from the database past its lease': (world, random) =>
    cutOff(world, random, { drop: 'both' }, world.leaseMs * 2),
  'answers of the database lost': (world, random) => cutOff(world, random, { drop: 'to-client' }, world.leaseMs * 0.7),
  'database refuses a replica': (world, random) => cutOff(world, random, { refuse: true }, world.leaseMs * 2),
  'database connections reset': async (world, random) => {
    random.pick(world.replicas).database.end('reset');
    await wait(500);
  },
  'slow database': (world, random) => cutOff(world, random, { latencyMs: 100 }, 3_000),
  'restart of the database': (world) => restartDatabase(world, 'fast'),
  'crash of the database': (world) => restartDatabase(world, 'crash'),
  'clock of a replica moves': async (world, random) => {
    const replica = random.pick(world.replicas);
    const jumpMs = random.pick([-86_400_000, -3_600_000, 3_600_000, 86_400_000]);
    replica.process.jumpClock(jumpMs);
    await wait(2_000);
    replica.process.jumpClock(-jumpMs);
  },
  'server connections reset': async (world, random) => {
    random.pick(Object.values(world.upstreams)).end('reset');
    await wait(500);
  },
  'answers of a server lost': (world, random) => disturbServer(world, random, { drop: 'to-client' }),
  'requests to a server lost': (world, random) => disturbServer(world, random, { drop: 'to-server' }),
  'client connections reset': async (world) => {
    world.front.end('reset');
    await wait(500);
  },
  'answers to clients lost': async (world) => {
    world.front.set({ drop: 'to-client' });
    await wait(1_500);
    world.front.set({});
    world.front.end('reset');
  },
};

async function stop(world: FleetWorld, random: Random, ms: number): Promise<void> {
  const replica = random.pick(world.replicas);
  replica.process.signal('SIGSTOP');
  await wait(ms);
  replica.process.signal('SIGCONT');
  await waitUntilReady(replica);
}

async function cutOff(world: FleetWorld, random: Random, fault: ProxyFault, ms: number): Promise<void> {
  const replica = random.pick(world.replicas);
  replica.database.set(fault);
  if (fault.refuse) replica.database.end('reset');
  await wait(ms);
  replica.database.set({});
  // Connections whose bytes were dropped cannot go on.
  replica.database.end('reset');
  await waitUntilReady(replica);
}

async function disturbServer(world: FleetWorld, random: Random, fault: ProxyFault): Promise<void> {
  const proxy = random.pick(Object.values(world.upstreams));
  proxy.set(fault);
  await wait(random.between(500, 2_000));
  proxy.set({});
  proxy.end('reset');
  await wait(500);
}

async function restartDatabase(world: FleetWorld, how: 'fast' | 'crash'): Promise<void> {
  await world.postgres.restart?.(how);
  await Promise.all(world.replicas.map(waitUntilReady));
}

/** A replica recovers without a restart. */
async function waitUntilReady({ process: replica }: ReplicaPlace): Promise<void> {
  await waitFor(
    async () => {
      const answer = await fetch(`${replica.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => undefined,
      );
      return answer?.status === 200;
    },
    { what: `the replica to be ready again: ${replica.output().slice(-2_000)}` },
  );
}
