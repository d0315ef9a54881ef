import { z } from 'zod';
import {
  completionInputSchema,
  promptArgumentsSchema,
  promptListSchema,
  resourceListSchema,
  serverAnswerSchema,
} from '../api/servers.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'servers';
const params = z.object({ server: z.string() });

/** The errors of a read. */
export const readErrors = [
  'NOT_FOUND',
  'APPROVAL_EXPIRED',
  'CALL_DENIED',
  'CALL_CANCELLED',
  'ARGUMENTS_INVALID',
  'TOOL_CHANGED',
  'RATE_LIMITED',
  'QUEUE_FULL',
  'SERVER_DISCONNECTED',
  'SERVER_ERROR',
  'CALL_TIMED_OUT',
  'RESULT_DISCARDED',
] as const;

export const serverContentRoutes = defineRoutes({
  listResources: {
    method: 'get',
    path: '/api/servers/{server}/resources',
    right: 'tools.read',
    group,
    summary: 'Lists the resources and resource templates of a server, exactly as the server sent them.',
    params,
    answer: resourceListSchema,
    errors: ['NOT_FOUND'],
  },
  readResource: {
    method: 'get',
    path: '/api/servers/{server}/resources/read',
    right: 'tools.call',
    group,
    summary: 'Reads a resource of a server.',
    params,
    query: z.object({ uri: z.string().min(1).describe('URI of the resource.') }),
    answer: serverAnswerSchema,
    errors: readErrors,
  },
  listPrompts: {
    method: 'get',
    path: '/api/servers/{server}/prompts',
    right: 'tools.read',
    group,
    summary: 'Lists the prompts of a server, exactly as the server sent them.',
    params,
    answer: promptListSchema,
    errors: ['NOT_FOUND'],
  },
  getPrompt: {
    method: 'post',
    path: '/api/servers/{server}/prompts/{prompt}',
    right: 'tools.call',
    group,
    summary: 'Renders a prompt with arguments.',
    params: params.extend({ prompt: z.string() }),
    body: promptArgumentsSchema,
    answer: serverAnswerSchema,
    errors: readErrors,
  },
  complete: {
    method: 'post',
    path: '/api/servers/{server}/completions',
    right: 'tools.call',
    group,
    summary: 'Suggests values for an argument of a prompt or a resource template.',
    params,
    body: completionInputSchema,
    answer: serverAnswerSchema,
    errors: readErrors,
  },
});
