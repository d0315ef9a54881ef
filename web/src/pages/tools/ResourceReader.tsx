import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ReadResult } from '../../components/content/ReadResult.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { formatBytes } from '../../components/format-bytes.ts';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { CompletedField } from './CompletedField.tsx';
import { expandTemplate, listVariables } from './uri-template.ts';

type Item = Readonly<Record<string, unknown>>;

/** A resource with its description and content. */
export function ResourceReader({ server, resource }: { readonly server: string; readonly resource: Item }) {
  const uri = String(resource.uri ?? '');
  return (
    <>
      <ResourceHeader item={resource} uri={uri} />
      <ResourceContent server={server} uri={uri} />
    </>
  );
}

export interface TemplateReaderProps {
  readonly server: string;
  readonly template: Item;
}

/** A resource template with its variables, the resulting URI and the content of that resource. */
export function TemplateReader({ server, template }: TemplateReaderProps) {
  const uriTemplate = String(template.uriTemplate ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [reading, setReading] = useState<string>();
  const uri = expandTemplate(uriTemplate, values);
  return (
    <>
      <ResourceHeader item={template} uri={uriTemplate} />
      <form
        className="flex min-w-0 flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setReading(uri);
        }}
      >
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
      </form>
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
      <Button size="small" busy={read.isFetching} onClick={() => void read.refetch()}>
        {!read.isFetching && <RefreshCw aria-hidden />}
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
