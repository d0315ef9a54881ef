import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { type BrowserItem, ItemBrowser } from './ItemBrowser.tsx';
import { ResourceReader, TemplateReader } from './ResourceReader.tsx';
import { toolQueries, useServersOffering } from './tool-queries.ts';

type Item = Readonly<Record<string, unknown>>;

/** The resources and resource templates of all servers. */
export function ResourcesTab() {
  const servers = useServersOffering(['resources', 'resourceTemplates']);
  if (!servers) return <Spinner label="Loading resources …" />;
  if (servers.length === 0) {
    return (
      <EmptyState icon={<FileText aria-hidden />} title="No resources">
        None of the connected servers has resources.
      </EmptyState>
    );
  }
  return <ServerResources servers={servers} />;
}

function ServerResources({ servers }: { readonly servers: readonly string[] }) {
  const [search, setSearch] = useSearchParams();
  const server = servers.find((name) => name === search.get('server')) ?? servers[0] ?? '';
  const selected = search.get('resource') ?? undefined;
  const list = useQuery(toolQueries.resources(server));
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Spinner label="Loading resources …" />;
  const { resources, resourceTemplates } = list.data;
  const template = resourceTemplates.find((item) => itemKey(item) === selected);
  const resource = resources.find((item) => itemKey(item) === selected);
  return (
    <ItemBrowser
      noun="resource"
      servers={servers}
      server={server}
      onServerChange={(next) => setSearch({ show: 'resources', server: next })}
      items={[...resourceTemplates, ...resources].map(toBrowserItem)}
      selected={selected}
      onOpen={(key) => setSearch({ show: 'resources', server, resource: key })}
      listAddress={`/tools?show=resources&server=${encodeURIComponent(server)}`}
    >
      {template && <TemplateReader key={selected} server={server} template={template} />}
      {resource && <ResourceReader key={selected} server={server} resource={resource} />}
      {!template && !resource && <p className="text-ink-soft">The server no longer has this resource.</p>}
    </ItemBrowser>
  );
}

function itemKey({ uri, uriTemplate }: Item): string {
  return String(uriTemplate ?? uri ?? '');
}

function toBrowserItem(item: Item): BrowserItem {
  return {
    key: itemKey(item),
    title: String(item.title ?? item.name ?? itemKey(item)),
    detail: itemKey(item),
    badge: item.uriTemplate === undefined ? undefined : 'template',
  };
}
