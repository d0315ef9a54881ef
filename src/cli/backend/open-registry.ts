import { openConfig } from '../../config/open-config.ts';
import type { RegistryServerView } from '../../gateway/api/schemas/registry.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { planServer } from '../../servers/registry/plan-server.ts';
import { createRegistry } from '../../servers/registry/registry.ts';
import type { RegistryEntry } from '../../servers/registry/registry-entry.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine } from '../terminal/format.ts';
import type { GatewayClient } from './gateway-client.ts';
import { reportLocal, selectGateway } from './select-gateway.ts';

/** The registry of the running gateway, or one that this process reads itself. */
export interface OpenRegistry extends AsyncDisposable {
  /** The gateway whose registry it is. */
  readonly gateway?: GatewayClient;
  search(words: string, limit: number): Promise<RegistrySearchResult>;
  get(name: string, version: string | undefined): Promise<RegistryServerView>;
  /** The settings of the server that an install option of an entry describes; rejects if inputs are missing. */
  plan(entry: RegistryServerView, optionIndex: number, values: Readonly<Record<string, string>>): Promise<JsonObject>;
}

export interface RegistrySearchResult {
  readonly servers: readonly RegistryServerView[];
  readonly nextCursor?: string;
}

/** Opens the registry of `--registry`, else that of the running gateway, else that of the configuration. */
export async function openRegistry(given: string | undefined, context: CommandContext): Promise<OpenRegistry> {
  const { options, env, cwd, terminal } = context;
  const gateway = given === undefined ? await selectGateway(context) : undefined;
  if (gateway) {
    terminal.status('Searching the registry of the gateway …');
    return openGatewayRegistry(gateway);
  }
  const url = given ?? (await openConfig(options.config, { env, cwd })).config.gateway.registry;
  if (given === undefined) reportLocal(`the registry ${url}`, context);
  terminal.status(`Searching ${oneLine(url)} …`);
  return openOwnRegistry(url, context.signal);
}

function openGatewayRegistry(gateway: GatewayClient): OpenRegistry {
  return {
    gateway,
    search: (words, limit) =>
      gateway.get(`/api/registry/servers?${new URLSearchParams({ search: words, limit: String(limit) })}`),
    get(name, version) {
      const query = version === undefined ? '' : `?${new URLSearchParams({ version })}`;
      return gateway.get(`/api/registry/servers/${encodeURIComponent(name)}${query}`);
    },
    async plan({ name, version }, optionIndex, values) {
      // The person accepts the risks before the server is added.
      const request = { name, version, optionIndex, values, acceptRisks: true };
      const { name: _, description: __, ...server } = await gateway.post<JsonObject>('/api/registry/plan', request);
      return server;
    },
    async [Symbol.asyncDispose]() {},
  };
}

function openOwnRegistry(url: string, signal: AbortSignal): OpenRegistry {
  const registry = createRegistry(url);
  const entries = new WeakMap<RegistryServerView, RegistryEntry>();
  const toView = (entry: RegistryEntry): RegistryServerView => {
    const view = { ...entry, installOptions: entry.installOptions.map(({ target: _, ...shown }) => shown) };
    entries.set(view, entry);
    return view;
  };
  return {
    async search(words, limit) {
      const { servers, nextCursor } = await registry.search({ words: words || undefined, limit, signal });
      return { servers: servers.map(toView), nextCursor };
    },
    get: async (name, version) => toView(await registry.get(name, { signal, version })),
    async plan(view, optionIndex, values) {
      const option = entries.get(view)?.installOptions[optionIndex];
      if (!option) throw new Error('The entry was read from another registry');
      return planServer(option, values);
    },
    [Symbol.asyncDispose]: () => registry.close(),
  };
}
