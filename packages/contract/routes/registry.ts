import { z } from 'zod';
import { registryPageSchema, registryPlanSchema, registryServerSchema } from '../api/registry.ts';
import { importedServerSchema } from '../api/servers.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'registry';

/** Searches the MCP registry. Servers found there are added with `addServer`. */
export const registryRoutes = defineRoutes({
  searchRegistry: {
    method: 'get',
    path: '/api/registry/servers',
    right: 'servers.write',
    group,
    summary: 'Searches the MCP registry by server name. Returns the newest version of each server.',
    query: z.object({
      search: z.string().max(200).optional(),
      cursor: z.string().max(2_000).optional(),
      limit: z.coerce.number<number>().int().min(1).max(100).optional(),
    }),
    answer: registryPageSchema,
    errors: ['SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
  },
  getRegistryServer: {
    method: 'get',
    path: '/api/registry/servers/{name}',
    right: 'servers.write',
    group,
    summary: 'Returns one server of the registry.',
    params: z.object({ name: z.string() }),
    query: z.object({ version: z.string().optional() }),
    answer: registryServerSchema,
    errors: ['NOT_FOUND', 'SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
  },
  planRegistryServer: {
    method: 'post',
    path: '/api/registry/plan',
    right: 'servers.write',
    group,
    recorded: false,
    summary: 'Builds the server entry for a server of the registry, ready for `addServer`. Nothing is stored.',
    body: registryPlanSchema,
    answer: importedServerSchema,
    errors: ['NOT_FOUND', 'SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
  },
});
