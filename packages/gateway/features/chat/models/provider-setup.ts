import { ToolwharfError } from '../../../../contract/errors.ts';
import type { Provider } from '../../../../contract/records/provider.ts';
import { isRefusedUrl, urlProblem } from '../../../../contract/settings/server-url.ts';
import type { ProviderDraft } from './models.ts';

/** The validated URL and key of a provider. */
export interface ProviderSetup {
  readonly kind: Provider['kind'];
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Empty if the provider needs no key. */
  readonly apiKey: string;
}

const defaultUrls: Partial<Record<Provider['kind'], string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Validates a provider's settings; throws `CONFIG_INVALID` with what to change. */
export function toProviderSetup(provider: ProviderDraft): ProviderSetup {
  const { kind, name, apiKey = '' } = provider;
  const url = provider.baseUrl ?? defaultUrls[kind];
  if (url === undefined) throw invalidProvider(name, 'set the URL of its API, such as http://127.0.0.1:11434/v1');
  const problem = urlProblem(url);
  if (problem !== undefined) throw invalidProvider(name, `its URL ${problem}`);
  if (isRefusedUrl(url, provider))
    throw invalidProvider(name, 'its URL is plain http to another machine: use https, or allow it explicitly');
  if (apiKey === '' && kind !== 'openai-compatible') throw invalidProvider(name, 'it has no key');
  return { kind, name, baseUrl: withVersion(kind, url.replace(/\/+$/, '')), apiKey };
}

/** Anthropic's URL is usually written without the version of its API. */
function withVersion(kind: Provider['kind'], url: string): string {
  return kind === 'anthropic' && !/\/v\d+$/.test(url) ? `${url}/v1` : url;
}

function invalidProvider(name: string, reason: string): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `The model provider '${name}' cannot be used: ${reason}`);
}
