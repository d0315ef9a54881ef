import { plural } from '../../text/plural.ts';
import { isRecord } from '../is-record.ts';
import { JsonView } from '../JsonView.tsx';
import { safeText } from '../safe-text.ts';
import { MediaContent } from './MediaContent.tsx';
import { fileName } from './save-file.ts';
import { TextContent } from './TextContent.tsx';

/** One part of a resource: its URI, then its text or data. */
export function ResourceContents({ contents }: { readonly contents: Readonly<Record<string, unknown>> }) {
  const { uri, mimeType, text: content, blob } = contents;
  const type = typeof mimeType === 'string' ? mimeType : undefined;
  const name = fileName(typeof uri === 'string' ? uri : '');
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-xs break-all text-ink-soft">
        <span className="font-mono">{safeText(uri, 500)}</span>
        {type !== undefined && ` · ${safeText(type, 100)}`}
      </p>
      {typeof content === 'string' && <TextContent text={content} mimeType={type} name={name} />}
      {typeof content !== 'string' && typeof blob === 'string' && (
        <MediaContent data={blob} mimeType={type} name={name} />
      )}
      {typeof content !== 'string' && typeof blob !== 'string' && <JsonView value={contents} what="resource" />}
    </div>
  );
}

/** A server's response to `resources/read`. */
export function ReadResult({ answer }: { readonly answer: Readonly<Record<string, unknown>> }) {
  const contents = Array.isArray(answer.contents) ? answer.contents.filter(isRecord) : undefined;
  if (!contents) return <JsonView value={answer} what="answer" />;
  if (contents.length === 0) return <p className="text-ink-soft">The resource is empty.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {contents.slice(0, 50).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts stay where they are
        <ResourceContents key={at} contents={part} />
      ))}
      {contents.length > 50 && (
        <p className="text-ink-soft">
          {plural(contents.length - 50, { one: '# more part is hidden.', other: '# more parts are hidden.' })}
        </p>
      )}
    </div>
  );
}
