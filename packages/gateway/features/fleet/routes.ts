import { hostname } from 'node:os';
import { fleetRoutes as routes } from '../../../contract/routes/fleet.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import { implement } from '../../core/rest/route.ts';

export const fleetRoutes = [
  implement(routes.getFleet, {
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
