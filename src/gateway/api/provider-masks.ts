import type { ProviderDraft, ProviderInfo } from '../../chat/models/models.ts';
import { parseReference } from '../../config/references.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import { type Provider, providerSchema } from '../../storage/ports/provider-store.ts';
import type { Identity } from '../auth/identity.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { ProviderInput, ProviderView } from './schemas/models.ts';

/** A provider with its key masked. */
export function toProviderView(
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
export function readProviderInput(input: ProviderInput, stored?: Provider): ProviderDraft {
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
