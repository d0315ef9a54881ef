import type { z } from 'zod';
import type { importedServerSchema } from '../../../contract/api/servers.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { registryRoutes as routes } from '../../../contract/routes/registry.ts';
import { type ApiPorts, implement } from '../../core/rest/route.ts';
import { assertRisksAccepted, planServer, shortName } from './plan-server.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { RegistryEntry } from './registry-entry.ts';

/** Searches the MCP registry. Servers found there are added with `addServer`. */
export const registryRoutes = [
  implement(routes.searchRegistry, {
    handle: ({ query: { search, cursor, limit }, signal }, ports) =>
      withRegistry(ports, async (registry, url) => {
        const page = await registry.search({ words: search || undefined, cursor, limit, signal });
        return { registry: url, ...page, servers: page.servers.map(toView) };
      }),
  }),
  implement(routes.getRegistryServer, {
    handle: ({ params, query, signal }, ports) =>
      withRegistry(ports, async (registry) => toView(await find(registry, params.name, query.version, signal))),
  }),
  implement(routes.planRegistryServer, {
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
        const planned = planServer(option, values);
        const added = await Promise.all(ports.features.map((feature) => feature.settingsForPublished?.(planned)));
        return {
          name: as ?? shortName(entry.name),
          description: entry.description || undefined,
          ...Object.assign(planned, ...added),
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
