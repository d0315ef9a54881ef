import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ProviderDraft, ProviderInfo } from '../../../chat/models/models.ts';
import { parseReference } from '../../../config/references.ts';
import { withoutSecrets } from '../../../config/server-url.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ModelSettings, ModelSettingsStore } from '../../../storage/ports/model-settings-store.ts';
import { type Provider, type ProviderStore, providerSchema } from '../../../storage/ports/provider-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { listChanged } from '../../events/collect-events.ts';
import { assertAddressAllowed } from '../access.ts';
import { type RequestProblem, requestError, toProblems } from '../request-problems.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  modelListSchema,
  modelSettingsInputSchema,
  modelSettingsListSchema,
  modelSettingsViewSchema,
  type ProviderInput,
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
      ports.events.publish(listChanged('models.changed'));
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
      ports.events.publish(listChanged('models.changed'));
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
    async handle({ params: { provider: id } }, { storage, events }) {
      const { id: stored } = await findStored(id, storage.providers);
      await storage.providers.remove(stored);
      events.publish(listChanged('models.changed'));
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
    async handle({ body }, { storage: { modelSettings }, events }) {
      const { provider, model, ...settings } = body;
      if (Object.values(settings).every((value) => value === undefined)) await modelSettings.remove(provider, model);
      else {
        await assertRoom(modelSettings, body);
        await modelSettings.put(body);
      }
      events.publish(listChanged('models.changed'));
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

/** A provider with its key masked. */
function toProviderView(
  { hasKey, baseUrl, allowInsecure, ...provider }: ProviderInfo,
  { isAdmin }: Identity,
): ProviderView {
  return {
    ...provider,
    baseUrl: isAdmin && baseUrl !== undefined ? withoutSecrets(baseUrl) : undefined,
    allowInsecure,
    apiKey: hasKey ? { set: true } : undefined,
  };
}

/**
 * Validates a provider. A masked key is replaced by the stored one if the provider's kind and address are unchanged. All problems are
 * reported in one `REQUEST_INVALID`.
 */
function readProviderInput(input: ProviderInput, stored?: Provider): ProviderDraft {
  const problems: RequestProblem[] = [];
  const { apiKey: sent, baseUrl: shown, ...rest } = input;
  const isStoredUrl = stored?.baseUrl !== undefined && shown === withoutSecrets(stored.baseUrl);
  const baseUrl = isStoredUrl ? stored.baseUrl : shown;
  const provider = { ...rest, baseUrl, apiKey: resolveKey({ ...rest, baseUrl }) };
  const checked = providerSchema.omit({ id: true }).safeParse(provider);
  problems.push(...toProblems('body', checked.error, provider));
  if (rest.kind === 'openai-compatible' && baseUrl === undefined)
    problems.push({ path: 'body.baseUrl', message: 'is required for this kind of provider' });
  if (problems.length > 0 || !checked.success) throw requestError(problems);
  return checked.data;

  function resolveKey(target: Pick<Provider, 'kind' | 'baseUrl'>): string | undefined {
    const wrong = (message: string) => void problems.push({ path: 'body.apiKey', message });
    if (typeof sent === 'string') {
      if (parseReference(sent))
        wrong('must be the value itself: references such as ${VAR} work in the configuration file only');
      return sent;
    }
    if (sent === undefined) return undefined;
    if (stored?.apiKey === undefined) return wrong('is masked, but no stored value exists');
    // Otherwise the stored key could be sent to another address.
    if (!hasSameAddress(stored, target))
      return wrong('must be sent again, because the address of the provider changed');
    return stored.apiKey;
  }
}

function hasSameAddress(
  stored: Pick<Provider, 'kind' | 'baseUrl'>,
  target: Pick<Provider, 'kind' | 'baseUrl'>,
): boolean {
  const addressOf = ({ kind, baseUrl }: Pick<Provider, 'kind' | 'baseUrl'>) =>
    baseUrl === undefined ? kind : URL.parse(baseUrl)?.origin;
  return stored.kind === target.kind && addressOf(stored) === addressOf(target);
}
