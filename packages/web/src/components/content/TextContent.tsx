import { lazy, Suspense, useMemo, useState } from 'react';
import { CopyButton } from '../CopyButton.tsx';
import { JsonView } from '../JsonView.tsx';
import { Spinner } from '../Spinner.tsx';
import { ViewToggle } from '../ViewToggle.tsx';
import { LongText } from './LongText.tsx';
import { isMarkdown, parseJsonText } from './text-kinds.ts';

const Markdown = lazy(async () => ({ default: (await import('../Markdown.tsx')).Markdown }));

export interface TextContentProps {
  readonly text: string;
  readonly mimeType?: string;
  readonly name?: string;
}

type View = 'plain' | 'tree' | 'rendered';

/** Text of a server: plain, as a tree if it is JSON, or rendered if it looks like Markdown. */
export function TextContent({ text: content, mimeType, name }: TextContentProps) {
  const json = useMemo(() => parseJsonText(content), [content]);
  const views: { id: View; label: string }[] = [{ id: 'plain', label: 'Plain' }];
  if (json !== undefined) views.unshift({ id: 'tree', label: 'Tree' });
  else if (isMarkdown(content, mimeType)) views.push({ id: 'rendered', label: 'Rendered' });
  const [chosen, setChosen] = useState<View>();
  const view = views.find(({ id }) => id === chosen)?.id ?? views[0]?.id ?? 'plain';
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {(views.length > 1 || view === 'plain') && (
        <div className="flex items-center justify-between gap-2">
          {views.length > 1 ? (
            <ViewToggle label="Text view" views={views} value={view} onChange={setChosen} />
          ) : (
            <span className="text-xs text-ink-faint">Text</span>
          )}
          {view !== 'tree' && <CopyButton text={content} what="text" />}
        </div>
      )}
      {view === 'plain' && <LongText text={content} name={name} />}
      {view === 'tree' && <JsonView value={json} what="result" />}
      {view === 'rendered' && (
        <div className="rounded-md border border-line px-3 py-2">
          <Suspense fallback={<Spinner label="Loading …" />}>
            <Markdown text={content} />
          </Suspense>
        </div>
      )}
    </div>
  );
}
