import { useMutation } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { api } from '../../../api/api.ts';
import type { Provider, ProviderTest } from '../../../api/client.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button, IconButton } from '../../../components/Button.tsx';
import { ErrorNotice, messageOf } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { ProviderTestResult } from './ProviderTestResult.tsx';
import { kinds } from './provider-presets.ts';

export interface ProviderRowProps {
  readonly provider: Provider;
  readonly canEdit: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

const sources: Readonly<Record<Provider['source'], string>> = {
  store: 'Added here',
  environment: 'From the environment',
  'built-in': 'Built in',
};

/** One provider in the list. */
export function ProviderRow({ provider, canEdit, onEdit, onRemove }: ProviderRowProps) {
  const { kind, source, baseUrl, apiKey } = provider;
  const name = safeText(provider.name, 100);
  const testing = useMutation({ mutationFn: () => testProvider(provider) });
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-semibold break-words">{name}</span>
            <Badge tone={source === 'built-in' ? 'info' : 'neutral'}>{sources[source]}</Badge>
          </p>
          <p className="text-xs break-words text-ink-soft">
            {kind === 'demo'
              ? 'Scripted answers without a model, a key or a network.'
              : [kinds[kind], baseUrl && safeText(baseUrl, 200), apiKey ? 'key is set' : 'no key']
                  .filter(Boolean)
                  .join(' · ')}
          </p>
        </div>
        {canEdit && kind !== 'demo' && (
          <div className="flex items-center gap-1">
            <Button size="small" busy={testing.isPending} aria-label={`Test ${name}`} onClick={() => testing.mutate()}>
              Test
            </Button>
            {source === 'store' && (
              <>
                <IconButton label={`Edit ${name}`} size="small" onClick={onEdit}>
                  <Pencil aria-hidden />
                </IconButton>
                <IconButton label={`Remove ${name}`} size="small" onClick={onRemove}>
                  <Trash2 aria-hidden />
                </IconButton>
              </>
            )}
          </div>
        )}
      </div>
      {testing.data && <ProviderTestResult test={testing.data} />}
      {testing.isError && <ErrorNotice error={testing.error} />}
    </li>
  );
}

/** Tests a stored provider with its stored key, and others by listing their models. */
async function testProvider(provider: Provider): Promise<ProviderTest> {
  const { id, name, kind, source, baseUrl, allowInsecure, apiKey } = provider;
  if (source === 'store' && kind !== 'demo') {
    const body = { name, kind, baseUrl, apiKey, allowInsecure: allowInsecure ?? false, provider: id };
    return api.testProvider({ body });
  }
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    const { models } = await api.listModels({ path: { provider: id } });
    return { ok: true, latencyMs: elapsedMs(), models };
  } catch (error) {
    return { ok: false, latencyMs: elapsedMs(), models: [], problem: messageOf(error) };
  }
}
