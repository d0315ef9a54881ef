import { hostname } from 'node:os';
import { version } from '../../../kernel/version.ts';
import { route } from '../route.ts';
import { fleetSchema } from '../schemas/fleet.ts';

export const fleetRoutes = [
  route({
    operationId: 'getFleet',
    method: 'get',
    path: '/api/fleet',
    right: 'admin',
    group: 'settings',
    summary: 'Lists the replicas that share the database. A gateway with its own database is the only one.',
    answer: fleetSchema,
    async handle(_request, { fleet, toolbox, gateway }) {
      const { running, queued } = toolbox.calls.stats();
      if (fleet.replica === undefined) {
        const { startedAt } = gateway;
        const own = { id: 'local', pid: process.pid, host: hostname(), version, startedAt, running, queued };
        return { shared: false, replicas: [{ ...own, self: true }] };
      }
      const [rows, revision] = await Promise.all([fleet.replicas(), fleet.readRevision()]);
      const replicas = rows.map(({ id, pid, host, leaseMs, facts }) => ({
        ...(facts as Record<string, never>),
        ...{ id, pid, host, leaseMs },
        ...(typeof facts.revision === 'number' && { lag: Math.max(0, revision - facts.revision) }),
        self: id === fleet.replica,
      }));
      return { shared: true, revision, replicas };
    },
  }),
];
