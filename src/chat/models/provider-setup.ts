import { isInsecureUrl, urlProblem } from '../../config/server-url.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Provider } from '../../storage/ports/provider-store.ts';
import type { ProviderDraft } from './models.ts';

/** A provider that can be asked: its address and key are in order. */
export interface ProviderSetup {
  readonly kind: Provider['kind'];
  readonly name: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Empty where the provider needs none. */
  readonly apiKey: string;
}

const ownAddress: Partial<Record<Provider['kind'], string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Checks how a provider is set up; rejects with `CONFIG_INVALID` and what to change. */
export function toProviderSetup(provider: ProviderDraft): ProviderSetup {
  const { kind, name, apiKey = '', allowInsecure } = provider;
  const url = provider.baseUrl ?? ownAddress[kind];
  if (url === undefined) throw wrong(name, 'it needs the address of its API, such as http://127.0.0.1:11434/v1');
  const problem = urlProblem(url);
  if (problem !== undefined) throw wrong(name, `its address ${problem}`);
  if (isInsecureUrl(url) && !allowInsecure)
    throw wrong(name, 'its address is plain http to another machine: use https, or allow it explicitly');
  if (apiKey === '' && kind !== 'openai-compatible') throw wrong(name, 'it has no key');
  return { kind, name, baseUrl: withVersion(kind, url.replace(/\/+$/, '')), apiKey };
}

/** Anthropic's own address is usually written without the version that its API is under. */
function withVersion(kind: Provider['kind'], url: string): string {
  return kind === 'anthropic' && !/\/v\d+$/.test(url) ? `${url}/v1` : url;
}

function wrong(name: string, why: string): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `The model provider '${name}' can't be used: ${why}`);
}
