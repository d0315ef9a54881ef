import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Provider } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { ErrorNotice } from '../../../components/ErrorNotice.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { ProviderDialog } from './ProviderDialog.tsx';
import { ProviderRow } from './ProviderRow.tsx';
import { RemoveProvider } from './RemoveProvider.tsx';

/** The providers of models. */
export function ModelsSection() {
  const providers = useQuery(queries.providers());
  const canEdit = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  const [edited, setEdited] = useState<Provider | 'new'>();
  const [removed, setRemoved] = useState<Provider>();
  return (
    <Card>
      <CardHeader
        title="Providers"
        hint="The services that run the models of your assistants. Keys are stored encrypted and never shown again."
        actions={
          canEdit && (
            <Button size="small" look="primary" onClick={() => setEdited('new')}>
              <Plus aria-hidden />
              Add provider
            </Button>
          )
        }
      />
      {providers.isError && (
        <div className="p-4">
          <ErrorNotice error={providers.error} onRetry={() => void providers.refetch()} />
        </div>
      )}
      {providers.isPending && (
        <div className="p-4">
          <Spinner label="Loading providers …" />
        </div>
      )}
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
      <RemoveProvider provider={removed} onClose={() => setRemoved(undefined)} />
    </Card>
  );
}
