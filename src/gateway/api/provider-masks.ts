import type { ProviderDraft, ProviderInfo } from '../../chat/models/models.ts';
import { parseReference } from '../../config/references.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import { type Provider, providerSchema } from '../../storage/ports/provider-store.ts';
import type { Identity } from '../auth/identity.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { ProviderInput, ProviderView } from './schemas/models.ts';

/** A provider for showing: whether there is a key, never which. */
export function toProviderView(
  { hasKey, baseUrl, allowInsecure, ...provider }: ProviderInfo,
  { isAdmin }: Identity,
): ProviderView {
  return {
    ...provider,
    ...(isAdmin && baseUrl !== undefined && { baseUrl: withoutSecrets(baseUrl) }),
    ...(allowInsecure !== undefined && { allowInsecure }),
    ...(hasKey && { apiKey: { set: true as const } }),
  };
}

/**
 * The provider that was sent, checked. A masked key stands for the stored one, as long as it would go where it was meant for;
 * anything wrong is one `REQUEST_INVALID` with every problem.
 */
export function readProviderInput(input: ProviderInput, stored?: Provider): ProviderDraft {
  const problems: RequestProblem[] = [];
  const { apiKey: sent, baseUrl: shown, ...rest } = input;
  const isStoredUrl = stored?.baseUrl !== undefined && shown === withoutSecrets(stored.baseUrl);
  const baseUrl = isStoredUrl ? stored.baseUrl : shown;
  const apiKey = keyFor({ ...rest, ...(baseUrl !== undefined && { baseUrl }) });
  const given = { ...rest, ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) };
  const checked = providerSchema.omit({ id: true }).safeParse(given);
  problems.push(...toProblems('body', checked.error, given));
  if (rest.kind === 'openai-compatible' && baseUrl === undefined)
    problems.push({ path: 'body.baseUrl', message: 'is needed: where is it?' });
  if (problems.length > 0 || !checked.success) throw requestError(problems);
  return checked.data;

  function keyFor(target: Pick<Provider, 'kind' | 'baseUrl'>): string | undefined {
    const wrong = (message: string) => void problems.push({ path: 'body.apiKey', message });
    if (typeof sent === 'string') {
      if (parseReference(sent))
        wrong('references such as ${VAR} are for the configuration file: send the value itself');
      return sent;
    }
    if (sent === undefined) return undefined;
    if (stored?.apiKey === undefined) return wrong('is masked, but nothing is stored for it');
    // Sent anywhere else, a stored key would be given away.
    if (!isSamePlace(stored, target)) return wrong('must be sent again: the provider is at another address now');
    return stored.apiKey;
  }
}

function isSamePlace(stored: Pick<Provider, 'kind' | 'baseUrl'>, target: Pick<Provider, 'kind' | 'baseUrl'>): boolean {
  const place = ({ kind, baseUrl }: Pick<Provider, 'kind' | 'baseUrl'>) =>
    baseUrl === undefined ? kind : URL.parse(baseUrl)?.origin;
  return stored.kind === target.kind && place(stored) === place(target);
}
