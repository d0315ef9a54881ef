import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { assertRisksAccepted, planServer, shortName } from '../../../servers/registry/plan-server.ts';
import { createRegistry, type Registry } from '../../../servers/registry/registry.ts';
import type { RegistryEntry } from '../../../servers/registry/registry-entry.ts';
import { type ApiPorts, route } from '../route.ts';
import { registryPageSchema, registryPlanSchema, registryServerSchema } from '../schemas/registry.ts';
import { importedServerSchema } from '../schemas/servers.ts';

const group = 'registry';

/** Searches the MCP registry. Servers found there are added with `addServer`. */
export const registryRoutes = [
  route({
    operationId: 'searchRegistry',
    method: 'get',
    path: '/api/registry/servers',
    right: 'admin',
    group,
    summary: 'Searches the MCP registry by server name. Returns the newest version of each server.',
    query: z.object({
      search: z.string().max(200).optional(),
      cursor: z.string().max(2_000).optional(),
      limit: z.coerce.number().int().min(1).max(100).optional(),
    }),
    answer: registryPageSchema,
    errors: ['SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
    handle: ({ query: { search, cursor, limit }, signal }, ports) =>
      withRegistry(ports, async (registry, url) => {
        const page = await registry.search({ words: search || undefined, cursor, limit, signal });
        return { registry: url, ...page, servers: page.servers.map(toView) };
      }),
  }),
  route({
    operationId: 'getRegistryServer',
    method: 'get',
    path: '/api/registry/servers/{name}',
    right: 'admin',
    group,
    summary: 'Returns one server of the registry.',
    params: z.object({ name: z.string() }),
    query: z.object({ version: z.string().optional() }),
    answer: registryServerSchema,
    errors: ['NOT_FOUND', 'SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
    handle: ({ params, query, signal }, ports) =>
      withRegistry(ports, async (registry) => toView(await find(registry, params.name, query.version, signal))),
  }),
  route({
    operationId: 'planRegistryServer',
    method: 'post',
    path: '/api/registry/plan',
    right: 'admin',
    group,
    recorded: false,
    summary: 'Builds the server entry for a server of the registry, ready for `addServer`. Nothing is stored.',
    body: registryPlanSchema,
    answer: importedServerSchema,
    errors: ['NOT_FOUND', 'SERVER_UNREACHABLE', 'SERVER_PROTOCOL'],
    handle: ({ body: { name, version, optionIndex: at, values = {}, as, acceptRisks }, signal }, ports) =>
      withRegistry(ports, async (registry) => {
        const entry = await find(registry, name, version, signal);
        const option = entry.installOptions[at];
        if (!option)
          throw new ToolwharfError(
            'NOT_FOUND',
            `'${name}' has ${entry.installOptions.length} install options, and none with index ${at}`,
          );
        assertRisksAccepted(option, acceptRisks);
        return {
          name: as ?? shortName(entry.name),
          description: entry.description || undefined,
          ...planServer(option, values),
        } as z.output<typeof importedServerSchema>;
      }),
  }),
];

function find(registry: Registry, name: string, version: string | undefined, signal: AbortSignal) {
  return registry.get(name, { signal, version });
}

async function withRegistry<Value>(
  { toolbox }: ApiPorts,
  work: (registry: Registry, url: string) => Promise<Value>,
): Promise<Value> {
  const url = toolbox.config.gateway.registry;
  const registry = createRegistry(url);
  try {
    return await work(registry, url);
  } finally {
    await registry.close();
  }
}

function toView({ installOptions, ...entry }: RegistryEntry) {
  return { ...entry, installOptions: installOptions.map(({ target: _, ...shown }) => shown) };
}
