import { JsonView } from '../JsonView.tsx';
import { safeText } from '../safe-text.ts';
import { isRecord } from './is-record.ts';
import { MediaContent } from './MediaContent.tsx';
import { ResourceContents } from './ResourceContents.tsx';
import { ResourceLink } from './ResourceLink.tsx';
import { TextContent } from './TextContent.tsx';

export interface ContentBlockProps {
  readonly block: Readonly<Record<string, unknown>>;
  readonly server?: string | undefined;
}

/** One block of MCP content; an unknown type is shown as JSON. */
export function ContentBlock({ block, server }: ContentBlockProps) {
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return <TextContent text={text} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return <MediaContent data={data} mimeType={typeof mimeType === 'string' ? mimeType : undefined} name={type} />;
  }
  if (type === 'resource' && isRecord(resource)) return <ResourceContents contents={resource} />;
  if (type === 'resource_link') return <ResourceLink link={block} server={server} />;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-ink-soft">Unknown content type: {safeText(type, 100)}</p>
      <JsonView value={block} what="content" />
    </div>
  );
}
