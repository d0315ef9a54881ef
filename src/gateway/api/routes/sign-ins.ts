import { z } from 'zod';
import { findServer } from '../access.ts';
import { route } from '../route.ts';
import { signInSchema } from '../schemas/sign-ins.ts';

const shared = {
  path: '/api/servers/{server}/sign-in',
  right: 'admin',
  group: 'servers',
  params: z.object({ server: z.string() }),
  access: findServer,
} as const;

export const signInRoutes = [
  route({
    ...shared,
    operationId: 'getSignIn',
    method: 'get',
    summary: 'Returns the OAuth sign-in to a server and each step of the latest attempts, with secrets redacted.',
    answer: signInSchema,
    errors: ['NOT_FOUND'],
    async handle({ resource }, { toolbox }) {
      const state = await toolbox.servers.signInState(resource.name);
      return { usesOAuth: state !== undefined, attempts: [], ...state };
    },
  }),
  route({
    ...shared,
    operationId: 'signOut',
    method: 'delete',
    summary: 'Deletes the OAuth sign-in to a server, tokens and registration, and connects again.',
    errors: ['NOT_FOUND'],
    handle: ({ resource }, { toolbox }) => toolbox.servers.signOut(resource.name),
  }),
];
