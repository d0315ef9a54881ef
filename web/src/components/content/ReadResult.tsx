import { JsonView } from '../JsonView.tsx';
import { isRecord } from './is-record.ts';
import { ResourceContents } from './ResourceContents.tsx';

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
      {contents.length > 50 && <p className="text-ink-soft">{contents.length - 50} more parts are hidden.</p>}
    </div>
  );
}
