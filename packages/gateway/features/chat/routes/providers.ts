import { randomUUID } from 'node:crypto';
import type { ProviderInput, ProviderView } from '../../../../contract/api/models.ts';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { type Assistant, assistantSchema } from '../../../../contract/records/assistant.ts';
import type { ModelSettings } from '../../../../contract/records/model-settings.ts';
import { type Provider, providerSchema } from '../../../../contract/records/provider.ts';
import { providerRoutes as routes } from '../../../../contract/routes/providers.ts';
import { withoutSecrets } from '../../../../contract/settings/server-url.ts';
import { parseReference } from '../../../../toolwharf/config/references.ts';
import type { ModelSettingsStore } from '../../../../toolwharf/storage/ports/model-settings-store.ts';
import type { StoredRecords } from '../../../../toolwharf/storage/ports/record-store.ts';
import { hasRight, type Identity } from '../../../core/auth/identity.ts';
import { listChanged } from '../../../core/events/collect-events.ts';
import { assertAddressAllowed } from '../../../core/rest/access.ts';
import { type RequestProblem, requestError, toProblems } from '../../../core/rest/request-problems.ts';
import { type ApiPorts, implement } from '../../../core/rest/route.ts';
import type { ProviderDraft, ProviderInfo } from '../models/models.ts';
import { chatPorts } from '../ports.ts';
import { configuredServers } from '../seed-assistants.ts';

export const providerRoutes = [
  implement(routes.listProviders, {
    async handle({ identity }, { of }) {
      return {
        providers: (await of(chatPorts).models.providers()).map((provider) => toProviderView(provider, identity)),
      };
    },
  }),
  implement(routes.addProvider, {
    async handle({ identity, body }, ports) {
      const { assistantModel: model, ...input } = body;
      const provider: Provider = { ...readProviderInput(input), id: randomUUID() };
      assertAddressAllowed(provider.baseUrl, ports);
      await ports.storage.providers.put(provider);
      ports.events.publish(listChanged('models.changed'));
      const assistant =
        model === undefined
          ? undefined
          : await addAssistant({ name: provider.name, model: { provider: provider.id, model } }, ports);
      return { ...(await showProvider(provider.id, identity, ports)), assistant };
    },
  }),
  implement(routes.testProvider, {
    async handle({ body, signal }, ports) {
      const { provider: id, ...input } = body;
      const stored = id === undefined ? undefined : await findStored(id, ports.storage.providers);
      const provider = readProviderInput(input, stored);
      assertAddressAllowed(provider.baseUrl, ports);
      return ports.of(chatPorts).models.test(provider, signal);
    },
  }),
  implement(routes.updateProvider, {
    async handle({ identity, params: { provider: id }, body }, ports) {
      const stored = await findStored(id, ports.storage.providers);
      const provider = readProviderInput(body, stored);
      assertAddressAllowed(provider.baseUrl, ports);
      await ports.storage.providers.put({ ...provider, id: stored.id });
      ports.events.publish(listChanged('models.changed'));
      return showProvider(stored.id, identity, ports);
    },
  }),
  implement(routes.removeProvider, {
    async handle({ params: { provider: id } }, { storage, events }) {
      const { id: stored } = await findStored(id, storage.providers);
      await storage.providers.remove(stored);
      events.publish(listChanged('models.changed'));
    },
  }),
  implement(routes.listModels, {
    async handle({ params: { provider }, signal }, { of }) {
      return { models: await of(chatPorts).models.list(provider, signal) };
    },
  }),
  implement(routes.listModelSettings, {
    handle: async (_, { storage }) => ({ settings: await storage.modelSettings.list() }),
  }),
  implement(routes.putModelSettings, {
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

/** Creates an assistant with the tools of all enabled servers; returns its id. */
async function addAssistant(
  settings: Pick<Assistant, 'name' | 'model'>,
  { storage, servers, toolbox, events }: ApiPorts,
): Promise<string> {
  const stored = (await servers.stored.list()).filter(({ enabled }) => enabled).map(({ id }) => id);
  const assistant = assistantSchema.parse({
    ...settings,
    id: randomUUID(),
    serverIds: [...new Set([...configuredServers(toolbox.config), ...stored])],
  });
  await storage.assistants.put(assistant);
  events.publish(listChanged('assistants.changed'));
  return assistant.id;
}

const maxModelSettings = 1_000;

async function assertRoom(store: ModelSettingsStore, { provider, model }: ModelSettings): Promise<void> {
  const all = await store.list();
  const isKnown = all.some((settings) => settings.provider === provider && settings.model === model);
  if (isKnown || all.length < maxModelSettings) return;
  throw new ToolwharfError('LIMIT_REACHED', `There are settings of ${maxModelSettings} models, which is the maximum`);
}

async function findStored(id: string, providers: StoredRecords['providers']): Promise<Provider> {
  const provider = await providers.get(id);
  if (provider) return provider;
  throw new ToolwharfError('NOT_FOUND', `There is no stored provider '${id}'`);
}

async function showProvider(id: string, identity: Identity, { of }: ApiPorts): Promise<ProviderView> {
  const provider = (await of(chatPorts).models.providers()).find((candidate) => candidate.id === id);
  if (provider) return toProviderView(provider, identity);
  throw new ToolwharfError('NOT_FOUND', `There is no provider '${id}'`);
}

/** A provider with its key masked. */
function toProviderView({ hasKey, baseUrl, ...provider }: ProviderInfo, identity: Identity): ProviderView {
  return {
    ...provider,
    baseUrl: hasRight(identity, 'providers.write') && baseUrl !== undefined ? withoutSecrets(baseUrl) : undefined,
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
