import { ToolwharfError } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { explainModelError } from './explain-model-error.ts';
import type { ModelInfo } from './models.ts';
import type { ProviderSetup } from './provider-setup.ts';

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;
const maxModels = 2_000;

/** The models of a provider, sorted by id. Rejects with `SERVER_UNREACHABLE` and the reason. */
export async function listModels(
  setup: ProviderSetup,
  send: typeof fetch,
  signal?: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const request = requestFor(setup);
  try {
    const response = await send(request.url, {
      headers: request.headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await readBounded(response);
    if (!response.ok) throw Object.assign(new Error(), { statusCode: response.status, responseBody: text });
    const models = toModels(setup, text);
    return models.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, maxModels);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const reason = timeout.aborted
      ? `${setup.name} did not answer within ${timeoutMs / 1_000} s.`
      : explainModelError(cause, setup);
    // Without a cause, which might contain the request and its key.
    throw new ToolwharfError('SERVER_UNREACHABLE', reason);
  }
}

function requestFor({ kind, baseUrl, apiKey }: ProviderSetup): { url: string; headers: Record<string, string> } {
  if (kind === 'anthropic')
    return {
      url: `${baseUrl}/models?limit=1000`,
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    };
  if (kind === 'google') return { url: `${baseUrl}/models?pageSize=1000`, headers: { 'x-goog-api-key': apiKey } };
  return { url: `${baseUrl}/models`, headers: apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` } };
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ToolwharfError('SERVER_ERROR', `its list of models is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toModels({ kind, baseUrl }: ProviderSetup, text: string): ModelInfo[] {
  const items = itemsOf(text);
  if (!items)
    throw new ToolwharfError(
      'SERVER_PROTOCOL',
      `${new URL(baseUrl).origin} did not answer with a list of models. Check the URL: it usually ends in /v1`,
    );
  const usable = kind === 'google' ? items.filter(generatesText) : items;
  return usable.flatMap((item) => {
    const id = String(item.id ?? item.name ?? '').replace(/^models\//, '');
    const name = item.display_name ?? item.displayName;
    const takesImages = acceptsImages(item);
    return id === '' ? [] : [{ id, name: typeof name === 'string' && name !== id ? name : undefined, takesImages }];
  });
}

function itemsOf(text: string): JsonObject[] | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const list = isObject(body) ? (body.data ?? body.models) : body;
    return Array.isArray(list) ? list.filter(isObject) : undefined;
  } catch {
    return undefined;
  }
}

function generatesText({ supportedGenerationMethods: methods }: JsonObject): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent');
}

/** OpenRouter lists the modalities of a model; most providers list none. */
function acceptsImages({ architecture }: JsonObject): boolean | undefined {
  const modalities = isObject(architecture) ? architecture.input_modalities : undefined;
  return Array.isArray(modalities) ? modalities.includes('image') : undefined;
}
