import { useQuery } from '@tanstack/react-query';
import { FileText, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ReadResult } from '../../components/content/ResourceContents.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Form } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatBytes } from '../../text/formats.ts';
import { CompletedField } from './CompletedField.tsx';
import { type BrowserItem, ItemBrowser, NothingOffered, useBrowsed, useServersOffering } from './ItemBrowser.tsx';
import { expandTemplate, listVariables } from './uri-template.ts';

type Item = Readonly<Record<string, unknown>>;

/** The resources and resource templates of all servers. */
export function ResourcesTab() {
  const servers = useServersOffering(['resources', 'resourceTemplates']);
  if (!servers) return <Spinner label="Loading resources …" />;
  if (servers.length === 0) {
    return (
      <NothingOffered noun="resource" icon={FileText}>
        None of the connected servers has resources.
      </NothingOffered>
    );
  }
  return <ServerResources servers={servers} />;
}

function ServerResources({ servers }: { readonly servers: readonly string[] }) {
  const { server, selected } = useBrowsed('resource', servers);
  const list = useQuery(queries.resources(server));
  if (!list.data) return <QueryState query={list} what="resources" />;
  const { resources, resourceTemplates } = list.data;
  const template = resourceTemplates.find((item) => itemKey(item) === selected);
  const resource = resources.find((item) => itemKey(item) === selected);
  return (
    <ItemBrowser noun="resource" servers={servers} items={[...resourceTemplates, ...resources].map(toBrowserItem)}>
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

/** A resource with its description and content. */
function ResourceReader({ server, resource }: { readonly server: string; readonly resource: Item }) {
  const uri = String(resource.uri ?? '');
  return (
    <>
      <ResourceHeader item={resource} uri={uri} />
      <ResourceContent server={server} uri={uri} />
    </>
  );
}

interface TemplateReaderProps {
  readonly server: string;
  readonly template: Item;
}

/** A resource template with its variables, the resulting URI and the content of that resource. */
function TemplateReader({ server, template }: TemplateReaderProps) {
  const uriTemplate = String(template.uriTemplate ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [reading, setReading] = useState<string>();
  const uri = expandTemplate(uriTemplate, values);
  return (
    <>
      <ResourceHeader item={template} uri={uriTemplate} />
      <Form className="flex min-w-0 flex-col gap-3" onSubmit={() => setReading(uri)}>
        {listVariables(uriTemplate).map((name) => (
          <CompletedField
            key={name}
            server={server}
            reference={{ type: 'ref/resource', uri: uriTemplate }}
            name={name}
            label={name}
            values={values}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <p className="text-xs break-all text-ink-soft">
          Reads <code>{safeText(uri, 500)}</code>
        </p>
        <Button type="submit" look="primary" className="self-start">
          Read resource
        </Button>
      </Form>
      {reading !== undefined && <ResourceContent key={reading} server={server} uri={reading} />}
    </>
  );
}

function ResourceHeader({ item, uri }: { readonly item: Item; readonly uri: string }) {
  return (
    <header className="flex min-w-0 flex-col gap-1">
      <h2 className="text-base break-words">{safeText(item.title ?? item.name ?? uri, 200)}</h2>
      <p className="flex flex-wrap items-center gap-1 text-xs text-ink-soft">
        <code className="break-all">{safeText(uri, 500)}</code>
        <CopyButton text={uri} what="URI" />
        {typeof item.mimeType === 'string' && safeText(item.mimeType, 100)}
        {typeof item.size === 'number' && ` · ${formatBytes(item.size)}`}
      </p>
      {typeof item.description === 'string' && (
        <p className="max-w-prose break-words whitespace-pre-wrap text-ink-soft">{safeText(item.description, 5_000)}</p>
      )}
    </header>
  );
}

function ResourceContent({ server, uri }: { readonly server: string; readonly uri: string }) {
  const read = useQuery({
    queryKey: ['content', 'read', server, uri],
    queryFn: ({ signal }) => api.readResource({ path: { server }, query: { uri }, signal }),
    // Reading can be expensive for the server: it is repeated only on request and after a change.
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return (
    <section aria-label="Content" className="flex min-w-0 flex-col items-start gap-3">
      <Button size="small" busy={read.isFetching} onClick={() => void read.refetch()} icon={RefreshCw}>
        Reload
      </Button>
      <div className="w-full min-w-0">
        {read.isError && <ErrorNotice title="Could not read the resource" error={read.error} />}
        {read.isPending && <Spinner label="Reading …" />}
        {read.data && !read.isError && <ReadResult answer={read.data} />}
      </div>
    </section>
  );
}
