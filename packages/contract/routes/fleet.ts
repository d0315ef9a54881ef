import { z } from 'zod';
import { answer, isoTime, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';

export const replicaSchema = answer(
  'Replica',
  z.object({
    id: z.string(),
    pid: z.number(),
    host: z.string(),
    self: z.boolean().describe('Whether this replica answered the request.'),
    leaseMs: z
      .number()
      .optional()
      .describe('Milliseconds until the replica counts as gone unless it renews its lease.'),
    version: z.string().optional().describe('Absent for a process that is not a gateway, such as a command.'),
    startedAt: isoTime.optional(),
    config: z.string().optional().describe('Equal on replicas with the same configuration.'),
    revision: z.number().optional().describe('The revision of the stored configuration that the replica has applied.'),
    lag: z.number().optional().describe('How many changes of the stored configuration the replica has not applied.'),
    running: z.number().optional(),
    queued: z.number().optional(),
    servers: z.array(z.string()).optional().describe('The servers that the replica runs for all.'),
    epoch: z.number().optional().describe('How many leases the replica has taken; above 1 after it lost one.'),
    permits: z.number().optional().describe('The permits for calls that the replica has leased.'),
    problems: z.array(z.string()).optional().describe('Why the replica refuses calls; empty if it does not.'),
  }),
);

const fleetSchema = answer(
  'Fleet',
  z.strictObject({
    shared: z.boolean().describe('Whether other processes can use the database.'),
    revision: z
      .number()
      .optional()
      .describe(
        'The revision of the stored configuration: servers, profiles, keys, rules, pins, assistants, providers.',
      ),
    replicas: list(replicaSchema),
  }),
);

export const fleetRoutes = defineRoutes({
  getFleet: {
    method: 'get',
    path: '/api/fleet',
    right: 'settings.read',
    group: 'settings',
    summary: 'Lists the replicas that share the database. A gateway with its own database is the only one.',
    answer: fleetSchema,
  },
});
