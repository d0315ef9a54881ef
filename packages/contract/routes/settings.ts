import { z } from 'zod';
import { clientListSchema, configSchema, documentSchema, healthSchema } from '../api/settings.ts';
import { defineRoutes } from './define-routes.ts';

export const settingsRoutes = defineRoutes({
  listClients: {
    method: 'get',
    path: '/api/clients',
    right: 'tools.read',
    group: 'settings',
    summary: 'Returns the configuration snippet of each known MCP client for this gateway.',
    query: z.object({
      profile: z.string().default('default').describe('The profile whose endpoint the client should use.'),
    }),
    answer: clientListSchema,
    errors: ['NOT_FOUND'],
  },
  getConfig: {
    method: 'get',
    path: '/api/config',
    right: 'settings.read',
    group: 'settings',
    summary: 'Returns the configuration in use and its warnings, without secrets.',
    answer: configSchema,
  },
  getHealth: {
    method: 'get',
    path: '/api/health',
    right: 'tools.read',
    group: 'settings',
    summary: 'Returns the health of the gateway and its servers.',
    answer: healthSchema,
  },
  getOpenApiDocument: {
    method: 'get',
    path: '/api/openapi.json',
    right: 'tools.read',
    group: 'settings',
    summary: 'Returns the OpenAPI 3.1 document of this API.',
    answer: documentSchema,
  },
});
