import { useMutation, useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Assistant, Provider, ProviderTest } from '../../../api/client.ts';
import { api } from '../../../api/client.ts';
import { queries, useIsAdmin } from '../../../api/queries.ts';
import { Badge } from '../../../components/Badge.tsx';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { RemovalDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNotice, messageOf } from '../../../components/ErrorNotice.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { text } from '../../../text/text.ts';
import { ProviderDialog } from './ProviderDialog.tsx';
import { ProviderTestResult } from './ProviderTestResult.tsx';
import { kinds } from './provider-presets.ts';

/** The providers of models. */
export function ModelsSection() {
  const providers = useQuery(queries.providers());
  const assistants = useQuery(queries.assistants()).data ?? [];
  const canEdit = useIsAdmin();
  const [edited, setEdited] = useState<Provider | 'new'>();
  const [removed, setRemoved] = useState<Provider>();
  return (
    <Card>
      <CardHeader
        title={text.settings.modelsSection.providers}
        hint={text.settings.modelsSection.servicesRunModelsAssistants}
        actions={
          canEdit && (
            <Button size="small" look="primary" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              {text.settings.modelsSection.addProvider}
            </Button>
          )
        }
      />
      <QueryState query={providers} what={text.settings.modelsSection.providersNoun} className="p-4" />
      {providers.data && (
        <ul aria-label={text.settings.modelsSection.providers} className="divide-y divide-line">
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
        title={({ name }) => text.settings.modelsSection.remove(safeText(name, 100))}
        remove={({ id }) => api.removeProvider({ path: { provider: id } })}
        done={text.settings.modelsSection.providerRemoved}
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
  store: text.settings.modelsSection.addedHere,
  environment: text.settings.modelsSection.environment,
  'built-in': text.settings.modelsSection.built,
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
              ? text.settings.modelsSection.scriptedAnswersWithoutModel
              : [
                  kinds[kind],
                  baseUrl && safeText(baseUrl, 200),
                  apiKey ? text.settings.modelsSection.keySet : text.settings.modelsSection.noKey,
                ]
                  .filter(Boolean)
                  .join(' · ')}
          </p>
        </div>
        {canEdit && kind !== 'demo' && (
          <div className="flex items-center gap-1">
            <Button
              size="small"
              busy={testing.isPending}
              aria-label={text.settings.modelsSection.test(name)}
              onClick={() => testing.mutate()}
            >
              {text.common.test}
            </Button>
            {source === 'store' && (
              <>
                <IconButton label={text.settings.modelsSection.edit(name)} size="small" onClick={onEdit}>
                  <Pencil aria-hidden />
                </IconButton>
                <IconButton label={text.settings.modelsSection.removeLabel(name)} size="small" onClick={onRemove}>
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

/** Names the assistants that use the provider. */
function RemovalConsequences({ users }: { readonly users: readonly Assistant[] }) {
  const names = users.slice(0, 5).map(({ name }) => safeText(name, 60));
  return (
    <>
      <p>{text.settings.modelsSection.providerKeyWillDeleted}</p>
      {users.length > 0 && (
        <p className="mt-2">
          {text.settings.modelsSection.assistantsUseCannotAnswer(users.length)} {names.join(', ')}
          {users.length > 5 && ' …'}
        </p>
      )}
    </>
  );
}
