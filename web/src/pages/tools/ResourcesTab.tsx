import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import type { Offer } from './OfferList.tsx';
import { OfferSplit } from './OfferSplit.tsx';
import { ResourceReader } from './ResourceReader.tsx';
import { TemplateReader } from './TemplateReader.tsx';
import { toolQueries } from './tool-queries.ts';
import { useOfferingServers } from './use-offering-servers.ts';

type Item = Readonly<Record<string, unknown>>;

/** The resources and resource templates of the servers, to read. */
export function ResourcesTab() {
  const servers = useOfferingServers(['resources', 'resourceTemplates']);
  if (!servers) return <Spinner label="Loading …" />;
  if (servers.length === 0) {
    return (
      <EmptyState icon={<FileText aria-hidden />} title="There are no resources">
        None of the connected servers offers any.
      </EmptyState>
    );
  }
  return <ServerResources servers={servers} />;
}

function ServerResources({ servers }: { readonly servers: readonly string[] }) {
  const [search, setSearch] = useSearchParams();
  const server = servers.find((name) => name === search.get('server')) ?? servers[0] ?? '';
  const chosen = search.get('resource') ?? undefined;
  const offered = useQuery(toolQueries.resources(server));
  if (offered.isError) return <ErrorNotice error={offered.error} onRetry={() => void offered.refetch()} />;
  if (!offered.data) return <Spinner label="Loading …" />;
  const { resources, resourceTemplates } = offered.data;
  const template = resourceTemplates.find((item) => keyOf(item) === chosen);
  const resource = resources.find((item) => keyOf(item) === chosen);
  return (
    <OfferSplit
      what="resources"
      servers={servers}
      server={server}
      onServer={(next) => setSearch({ show: 'resources', server: next })}
      offers={[...resourceTemplates, ...resources].map(toOffer)}
      selected={chosen}
      onOpen={(key) => setSearch({ show: 'resources', server, resource: key })}
      listAddress={`/tools?show=resources&server=${encodeURIComponent(server)}`}
    >
      {template && <TemplateReader key={chosen} server={server} template={template} />}
      {resource && <ResourceReader key={chosen} server={server} resource={resource} />}
      {!template && !resource && <p className="text-ink-soft">The server does not offer this any more.</p>}
    </OfferSplit>
  );
}

function keyOf({ uri, uriTemplate }: Item): string {
  return String(uriTemplate ?? uri ?? '');
}

function toOffer(item: Item): Offer {
  return {
    key: keyOf(item),
    title: String(item.title ?? item.name ?? keyOf(item)),
    detail: keyOf(item),
    ...(item.uriTemplate !== undefined && { badge: 'template' }),
  };
}
