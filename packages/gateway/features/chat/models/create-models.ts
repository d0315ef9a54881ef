import { ToolwharfError, toToolwharfError } from '../../../../contract/errors.ts';
import { type Provider, providerDefaults } from '../../../../contract/records/provider.ts';
import { securityOf } from '../../../../contract/settings/server-url.ts';
import { guardAddresses, type Lookup } from '../../../../toolwharf/connections/http/guard-addresses.ts';
import { systemClock } from '../../../../toolwharf/kernel/clock.ts';
import type { ModelSettingsStore } from '../../../../toolwharf/storage/ports/model-settings-store.ts';
import type { StoredRecords } from '../../../../toolwharf/storage/ports/record-store.ts';
import { explainModelError, readRetry } from './explain-model-error.ts';
import { listModels } from './list-models.ts';
import type { Models, OpenedModel, ProviderInfo } from './models.ts';
import { type ProviderSetup, toProviderSetup } from './provider-setup.ts';

export interface ModelPorts {
  readonly providers: Pick<StoredRecords['providers'], 'list' | 'get'>;
  readonly settings: Pick<ModelSettingsStore, 'get'>;
  /** Contains API keys of providers that are not stored. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether stored providers must have public addresses; false. Providers from the environment may have any address. */
  readonly publicOnly?: () => boolean;
  /** Pause of the demo model between two words; 25. */
  readonly demoPauseMs?: number;
}

/** `fetch` for requests with a key. A redirect is an error, because its target would receive the key. */
const modelFetch: typeof fetch = rejectRedirects(fetch);

const demo: ProviderInfo = { id: 'demo', name: 'Demo', kind: 'demo', source: 'built-in', hasKey: false };
const demoModels = [{ id: 'demo', name: 'Scripted, not a model' }];

/** Models of the stored providers, of the providers with a key in the environment, and the demo. */
export function createModels({ providers, settings, env, publicOnly, demoPauseMs = 25 }: ModelPorts): Models {
  let publicFetch: typeof fetch | undefined;

  function fetchFor(source: 'store' | 'environment'): typeof fetch {
    if (source === 'environment' || !publicOnly?.()) return modelFetch;
    publicFetch ??= createPublicModelFetch();
    return publicFetch;
  }

  async function find(id: string): Promise<{ readonly provider: Provider; readonly send: typeof fetch }> {
    const fromEnvironment = environmentProviders(env).find((provider) => provider.id === id);
    if (fromEnvironment) return { provider: fromEnvironment, send: fetchFor('environment') };
    const stored = await providers.get(id);
    if (stored) return { provider: stored, send: fetchFor('store') };
    throw new ToolwharfError('NOT_FOUND', `There is no model provider '${id}': choose another for the assistant`);
  }

  return {
    async providers() {
      const stored = (await providers.list()).map((provider) => toInfo(provider, 'store'));
      return [...stored, ...environmentProviders(env).map((provider) => toInfo(provider, 'environment')), demo];
    },
    async open({ provider, model }) {
      if (provider !== demo.id) {
        const found = await find(provider);
        const opened = await openModel(toProviderSetup(found.provider), model, found.send);
        const prices = await settings.get(provider, model);
        return { ...opened, prices, firstOutputMs: prices?.firstOutputMs };
      }
      const { openDemoModel } = await import('./demo/demo-model.ts');
      return openDemoModel({ pauseMs: demoPauseMs, clock: systemClock });
    },
    async takesImages({ provider, model }) {
      if (provider === demo.id) return false;
      const declared = (await settings.get(provider, model))?.takesImages;
      if (declared !== undefined) return declared;
      try {
        const found = await find(provider);
        // All current models of these providers do.
        if (found.provider.kind !== 'openai-compatible') return true;
        const listed = await listModels(toProviderSetup(found.provider), found.send);
        return listed.find(({ id }) => id === model)?.takesImages;
      } catch {
        return undefined;
      }
    },
    async list(provider, signal) {
      if (provider === demo.id) return demoModels;
      const found = await find(provider);
      return listModels(toProviderSetup(found.provider), found.send, signal);
    },
    async test(draft, signal) {
      const started = performance.now();
      const latencyMs = () => Math.round(performance.now() - started);
      try {
        const models = await listModels(toProviderSetup(draft), fetchFor('store'), signal);
        return { ok: true, latencyMs: latencyMs(), models };
      } catch (cause) {
        return { ok: false, latencyMs: latencyMs(), models: [], problem: toToolwharfError(cause).message };
      }
    },
  };
}

function toInfo(provider: Provider, source: ProviderInfo['source']): ProviderInfo {
  const { id, name, kind, baseUrl, apiKey } = provider;
  return { id, name, kind, source, baseUrl, ...securityOf(provider), hasKey: apiKey !== undefined };
}

/** Providers with a key in the environment, under the usual variable names. */
function environmentProviders(env: ModelPorts['env']): readonly Provider[] {
  return providerVariables.flatMap(({ keys, base, ...provider }) => {
    const apiKey = keys.map((name) => env[name]?.trim()).find((key) => key);
    const baseUrl = base.map((name) => env[name]?.trim()).find((url) => url);
    return apiKey ? [{ ...providerDefaults, ...provider, apiKey, baseUrl }] : [];
  });
}

const providerVariables = [
  { id: 'openai', name: 'OpenAI', kind: 'openai', keys: ['OPENAI_API_KEY'], base: ['OPENAI_BASE_URL'] },
  { id: 'anthropic', name: 'Anthropic', kind: 'anthropic', keys: ['ANTHROPIC_API_KEY'], base: ['ANTHROPIC_BASE_URL'] },
  {
    id: 'google',
    name: 'Google',
    kind: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    base: ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
  },
] as const;

/** Opens a model with the provider's AI SDK package, which is loaded on demand. */
async function openModel(setup: ProviderSetup, model: string, send: typeof fetch): Promise<OpenedModel> {
  const { kind, name } = setup;
  return {
    model: await load(setup, model, send),
    label: `${name} · ${model}`,
    // Tool messages of the Chat Completions API are text only.
    takesMedia: kind !== 'openai-compatible',
    // By default, OpenAI would store every answer.
    providerOptions: kind === 'openai' ? { openai: { store: false } } : undefined,
    explain: (error) => explainModelError(error, setup),
    readRetry: (error) => readRetry(error, name),
  };
}

async function load({ kind, baseUrl, apiKey }: ProviderSetup, model: string, send: typeof fetch) {
  // URL and key are always set, because the packages would otherwise read them from the environment.
  const common = { baseURL: baseUrl, apiKey, fetch: send };
  switch (kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(common)(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(common)(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(common)(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === '' ? {} : { apiKey };
      return createOpenAICompatible({ name: kind, baseURL: baseUrl, fetch: send, includeUsage: true, ...key })(model);
    }
  }
}

/** Like `modelFetch`, for public addresses only; checks the resolved addresses of host names. */
export function createPublicModelFetch(lookup?: Lookup): typeof fetch {
  const guard = guardAddresses((_, kind) => kind === 'public', lookup);
  async function load() {
    const { Agent, fetch: send } = await import('undici');
    return { send, dispatcher: new Agent({ connect: { lookup: guard.lookup } }) };
  }
  let client: ReturnType<typeof load> | undefined;
  return rejectRedirects(async (input, init) => {
    await guard.assertReachable(new URL(urlOf(input)));
    client ??= load();
    const { send, dispatcher } = await client;
    // The request types of both packages are compatible for the plain options used here.
    const response: unknown = await send(urlOf(input), { ...init, dispatcher } as never).catch((cause) => {
      throw unwrapError(cause);
    });
    return response as Response;
  });
}

function rejectRedirects(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: 'manual' });
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const target = URL.parse(response.headers.get('location') ?? '', urlOf(input));
    const where = target ? ` to ${target.origin}${target.pathname}` : '';
    throw new ToolwharfError(
      'SERVER_ERROR',
      `the URL redirects${where}, and the key is not sent to another URL. Set the final URL`,
    );
  };
}

/** The guard's error, which `fetch` wraps in a `TypeError`. */
function unwrapError(cause: unknown): unknown {
  return cause instanceof TypeError && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}
