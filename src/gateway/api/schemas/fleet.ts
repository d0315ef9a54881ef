import { z } from 'zod';
import { answer, isoTime, list } from './named.ts';

const replicaSchema = answer(
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
    running: z.number().optional(),
    queued: z.number().optional(),
  }),
);

export const fleetSchema = answer(
  'Fleet',
  z.strictObject({
    shared: z.boolean().describe('Whether other processes can use the database.'),
    replicas: list(replicaSchema),
  }),
);
