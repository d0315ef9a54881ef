import { useMutation } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { api } from '../../api/client.ts';
import { formatBytes } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { ErrorNotice } from '../ErrorNotice.tsx';
import { isRecord } from '../is-record.ts';
import { JsonView } from '../JsonView.tsx';
import { SafeLink } from '../SafeLink.tsx';
import { safeText } from '../safe-text.ts';
import { MediaContent } from './MediaContent.tsx';
import { ReadResult, ResourceContents } from './ResourceContents.tsx';
import { TextContent } from './TextContent.tsx';

export interface ContentBlockProps {
  readonly block: Readonly<Record<string, unknown>>;
  readonly server?: string | undefined;
}

/** One block of MCP content; an unknown type is shown as JSON. */
export function ContentBlock({ block, server }: ContentBlockProps) {
  const { type, text: plain, data, mimeType, resource } = block;
  if (type === 'text' && typeof plain === 'string') return <TextContent text={plain} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return <MediaContent data={data} mimeType={typeof mimeType === 'string' ? mimeType : undefined} name={type} />;
  }
  if (type === 'resource' && isRecord(resource)) return <ResourceContents contents={resource} />;
  if (type === 'resource_link') return <ResourceLink link={block} server={server} />;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-ink-soft">{`Unknown content type: ${safeText(type, 100)}`}</p>
      <JsonView value={block} what="content" />
    </div>
  );
}

interface ResourceLinkProps {
  readonly link: Readonly<Record<string, unknown>>;
  /** The server and URI to read the content from. */
  readonly server: string | undefined;
}

/** A resource that a result points to: to be read from its server, or opened where it is a web address. */
function ResourceLink({ link, server }: ResourceLinkProps) {
  const uri = typeof link.uri === 'string' ? link.uri : '';
  const reading = useMutation({
    mutationFn: (from: string) => api.readResource({ path: { server: from }, query: { uri } }),
  });
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="flex min-w-0 gap-2">
          <FileText aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-faint" />
          <div className="min-w-0">
            <p className="font-medium break-words">{safeText(link.title ?? link.name ?? 'Resource', 200)}</p>
            {typeof link.description === 'string' && (
              <p className="break-words text-ink-soft">{safeText(link.description, 1_000)}</p>
            )}
            <p className="text-xs break-all text-ink-soft">
              <SafeLink href={uri}>
                <span className="font-mono">{safeText(uri, 500)}</span>
              </SafeLink>
              {typeof link.mimeType === 'string' && ` · ${safeText(link.mimeType, 100)}`}
              {typeof link.size === 'number' && ` · ${formatBytes(link.size)}`}
            </p>
          </div>
        </div>
        {server !== undefined && uri !== '' && (
          <Button size="small" busy={reading.isPending} onClick={() => reading.mutate(server)}>
            Read
          </Button>
        )}
      </div>
      {reading.isError && <ErrorNotice title="The resource could not be read" error={reading.error} />}
      {reading.data && <ReadResult answer={reading.data} />}
    </div>
  );
}
