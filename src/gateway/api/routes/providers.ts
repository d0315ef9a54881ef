import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ModelSettings, ModelSettingsStore } from '../../../storage/ports/model-settings-store.ts';
import type { Provider, ProviderStore } from '../../../storage/ports/provider-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { assertAddressAllowed } from '../access.ts';
import { readProviderInput, toProviderView } from '../provider-masks.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  modelListSchema,
  modelSettingsInputSchema,
  modelSettingsListSchema,
  modelSettingsViewSchema,
  type ProviderView,
  providerInputSchema,
  providerListSchema,
  providerTestInputSchema,
  providerTestSchema,
  providerViewSchema,
} from '../schemas/models.ts';

const group = 'models';
const params = z.object({ provider: z.string() });

export const providerRoutes = [
  route({
    operationId: 'listProviders',
    method: 'get',
    path: '/api/providers',
    right: 'read',
    group,
    summary: 'Lists model providers: stored ones, those with a key in the environment, and the built-in demo.',
    answer: providerListSchema,
    async handle({ identity }, { chat }) {
      return { providers: (await chat.models.providers()).map((provider) => toProviderView(provider, identity)) };
    },
  }),
  route({
    operationId: 'addProvider',
    method: 'post',
    path: '/api/providers',
    right: 'admin',
    group,
    summary: 'Stores a model provider. Its key is encrypted.',
    body: providerInputSchema,
    answer: providerViewSchema,
    status: 201,
    async handle({ identity, body }, ports) {
      const provider: Provider = { ...readProviderInput(body), id: randomUUID() };
      assertAddressAllowed(provider.baseUrl, ports);
      await ports.storage.providers.put(provider);
      return showProvider(provider.id, identity, ports);
    },
  }),
  route({
    operationId: 'testProvider',
    method: 'post',
    path: '/api/providers/test',
    right: 'admin',
    group,
    summary: 'Tests a provider without storing it, and reports whether it responds, its latency and its models.',
    body: providerTestInputSchema,
    answer: providerTestSchema,
    errors: ['NOT_FOUND'],
    async handle({ body, signal }, ports) {
      const { provider: id, ...input } = body;
      const stored = id === undefined ? undefined : await findStored(id, ports.storage.providers);
      const provider = readProviderInput(input, stored);
      assertAddressAllowed(provider.baseUrl, ports);
      return ports.chat.models.test(provider, signal);
    },
  }),
  route({
    operationId: 'updateProvider',
    method: 'put',
    path: '/api/providers/{provider}',
    right: 'admin',
    group,
    summary: 'Replaces a stored provider. A masked key keeps its stored value.',
    params,
    body: providerInputSchema,
    answer: providerViewSchema,
    errors: ['NOT_FOUND'],
    async handle({ identity, params: { provider: id }, body }, ports) {
      const stored = await findStored(id, ports.storage.providers);
      const provider = readProviderInput(body, stored);
      assertAddressAllowed(provider.baseUrl, ports);
      await ports.storage.providers.put({ ...provider, id: stored.id });
      return showProvider(stored.id, identity, ports);
    },
  }),
  route({
    operationId: 'removeProvider',
    method: 'delete',
    path: '/api/providers/{provider}',
    right: 'admin',
    group,
    summary: 'Deletes a stored provider and its key.',
    params,
    errors: ['NOT_FOUND'],
    async handle({ params: { provider: id } }, { storage }) {
      const { id: stored } = await findStored(id, storage.providers);
      await storage.providers.remove(stored);
    },
  }),
  route({
    operationId: 'listModels',
    method: 'get',
    path: '/api/providers/{provider}/models',
    right: 'admin',
    group,
    summary: 'Lists the models of a provider.',
    params,
    answer: modelListSchema,
    errors: ['CONFIG_INVALID', 'NOT_FOUND', 'SERVER_UNREACHABLE'],
    async handle({ params: { provider }, signal }, { chat }) {
      return { models: await chat.models.list(provider, signal) };
    },
  }),
  route({
    operationId: 'listModelSettings',
    method: 'get',
    path: '/api/model-settings',
    right: 'read',
    group,
    summary: 'Lists the prices and capabilities that are configured for models.',
    answer: modelSettingsListSchema,
    handle: async (_, { storage }) => ({ settings: await storage.modelSettings.list() }),
  }),
  route({
    operationId: 'putModelSettings',
    method: 'put',
    path: '/api/model-settings',
    right: 'admin',
    group,
    summary: 'Replaces the prices and capabilities of a model. Without any, the settings of the model are deleted.',
    body: modelSettingsInputSchema,
    answer: modelSettingsViewSchema,
    errors: ['LIMIT_REACHED'],
    async handle({ body }, { storage: { modelSettings } }) {
      const { provider, model, ...settings } = body;
      if (Object.values(settings).every((value) => value === undefined)) await modelSettings.remove(provider, model);
      else {
        await assertRoom(modelSettings, body);
        await modelSettings.put(body);
      }
      return body;
    },
  }),
];

const maxModelSettings = 1_000;

async function assertRoom(store: ModelSettingsStore, { provider, model }: ModelSettings): Promise<void> {
  const all = await store.list();
  const isKnown = all.some((settings) => settings.provider === provider && settings.model === model);
  if (isKnown || all.length < maxModelSettings) return;
  throw new ToolwharfError('LIMIT_REACHED', `There are settings of ${maxModelSettings} models, which is the maximum`);
}

async function findStored(id: string, providers: ProviderStore): Promise<Provider> {
  const provider = await providers.get(id);
  if (provider) return provider;
  throw new ToolwharfError('NOT_FOUND', `There is no stored provider '${id}'`);
}

async function showProvider(id: string, identity: Identity, { chat }: ApiPorts): Promise<ProviderView> {
  const provider = (await chat.models.providers()).find((candidate) => candidate.id === id);
  if (provider) return toProviderView(provider, identity);
  throw new ToolwharfError('NOT_FOUND', `There is no provider '${id}'`);
}
