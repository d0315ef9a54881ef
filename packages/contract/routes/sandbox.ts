import { z } from 'zod';
import { sandboxLearningSchema, sandboxListSchema, sandboxProfileSchema, sandboxStateSchema } from '../api/sandbox.ts';
import { defineRoutes } from './define-routes.ts';

const shared = { right: 'servers.write', group: 'sandbox' } as const;
const ofServer = { ...shared, params: z.object({ server: z.string() }), errors: ['NOT_FOUND'] } as const;
const path = '/api/servers/{server}/sandbox';

export const sandboxRoutes = defineRoutes({
  listSandboxes: {
    ...shared,
    method: 'get',
    path: '/api/sandboxes',
    summary: 'Returns what the programs of all servers may touch.',
    answer: sandboxListSchema,
  },
  getSandbox: {
    ...ofServer,
    method: 'get',
    path,
    summary: 'Returns what the program of a server may touch, what it has learned, and what was blocked.',
    answer: sandboxStateSchema,
  },
  learnSandbox: {
    ...ofServer,
    method: 'post',
    path: `${path}/learning`,
    summary: 'Starts the program of a server anew to watch what it uses, or ends that.',
    body: sandboxLearningSchema,
    answer: sandboxStateSchema,
  },
  acceptSandbox: {
    ...ofServer,
    method: 'put',
    path: `${path}/profile`,
    summary: 'Accepts a sandbox profile for a server, ends learning, and starts the program anew with it.',
    body: sandboxProfileSchema,
    answer: sandboxStateSchema,
  },
});
