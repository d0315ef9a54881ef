import { useMutation, useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Assistant, api, type Provider, type ProviderTest } from '../../../api/client.ts';
import { useMay } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNotice, messageOf } from '../../../components/ErrorNotice.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { plural } from '../../../text/plural.ts';
import { chatQueries } from '../queries.ts';
import { ProviderDialog } from './ProviderDialog.tsx';
import { ProviderTestResult } from './ProviderTestResult.tsx';
import { kinds } from './provider-presets.ts';

/** The providers of models. */
export default function ModelsSection() {
  const providers = useQuery(chatQueries.providers());
  const assistants = useQuery(chatQueries.assistants()).data ?? [];
  const canEdit = useMay('providers.write');
  const [edited, setEdited] = useState<Provider | 'new'>();
  const [removed, setRemoved] = useState<Provider>();
  return (
    <Card>
      <CardHeader
        title="Providers"
        hint="The services that run the models of your assistants. Keys are stored encrypted and never shown again."
        actions={
          canEdit && (
            <Button size="small" look="primary" onClick={() => setEdited('new')} icon={Plus}>
              Add provider
            </Button>
          )
        }
      />
      <QueryState query={providers} what="providers" className="p-4" />
      {providers.data && (
        <ul aria-label="Providers" className="divide-y divide-line">
          {providers.data.map((provider) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              canEdit={canEdit}
              onEdit={() => setEdited(provider)}
              onRemove={() => setRemoved(provider)}
            />
          ))}
        </ul>
      )}
      {edited !== undefined && (
        <ProviderDialog provider={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      <RemovalDialog
        item={removed}
        title={({ name }) => `Remove ${safeText(name, 100)}?`}
        remove={({ id }) => api.removeProvider({ path: { provider: id } })}
        done="Provider removed."
        queryKey="providers"
        onClose={() => setRemoved(undefined)}
      >
        {({ id }) => <RemovalConsequences users={assistants.filter(({ model }) => model.provider === id)} />}
      </RemovalDialog>
    </Card>
  );
}

interface ProviderRowProps {
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
function ProviderRow({ provider, canEdit, onEdit, onRemove }: ProviderRowProps) {
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
                <IconButton label={`Edit ${name}`} size="small" onClick={onEdit} icon={Pencil} />
                <IconButton label={`Remove ${name}`} size="small" onClick={onRemove} icon={Trash2} />
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
  const { id, kind, source, ...settings } = provider;
  if (source === 'store' && kind !== 'demo') return api.testProvider({ body: { ...settings, kind, provider: id } });
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    const { models } = await api.listModels({ path: { provider: id } });
    return { ok: true, latencyMs: elapsedMs(), models };
  } catch (error) {
    return { ok: false, latencyMs: elapsedMs(), models: [], problem: messageOf(error) };
  }
}

/** Names the assistants that use the provider. */
function RemovalConsequences({ users }: { readonly users: readonly Assistant[] }) {
  const names = users.slice(0, 5).map(({ name }) => safeText(name, 60));
  return (
    <>
      <p>The provider and its key will be deleted.</p>
      {users.length > 0 && (
        <p className="mt-2">
          {`${plural(users.length, { one: '# assistant uses it', other: '# assistants use it' })} and cannot answer without another model:`}{' '}
          {names.join(', ')}
          {users.length > 5 && ' …'}
        </p>
      )}
    </>
  );
}
