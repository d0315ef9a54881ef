import { CircleX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatNumber } from '../text/formats.ts';
import { Button } from './Button.tsx';
import { classNames } from './class-names.ts';
import { ContentBlock } from './content/ContentBlock.tsx';
import { omitDuplicateText, repeatsText } from './content/omit-duplicate-text.ts';
import { TruncatedResult } from './content/TruncatedResult.tsx';
import { JsonView } from './JsonView.tsx';

export interface ContentViewProps {
  readonly result: {
    readonly isError: boolean;
    readonly content: readonly Readonly<Record<string, unknown>>[];
    readonly structuredContent?: unknown;
  };
  /** Less than the server sent: the full result can be loaded by `callId`. */
  readonly truncated?: boolean;
  readonly callId?: string;
  /** The server that the result's resource links belong to. */
  readonly server?: string;
}

const pageSize = 20;

/** The result of a tool: every kind of MCP content, and whether the tool reported an error. */
export function ContentView({ result, truncated = false, callId, server }: ContentViewProps) {
  const { isError, structuredContent } = result;
  const content = useMemo(() => omitDuplicateText(result), [result]);
  const [count, setCount] = useState(pageSize);
  const left = content.length - count;
  return (
    <div className={classNames('flex min-w-0 flex-col gap-3', isError && 'border-l-2 border-bad pl-3')}>
      {isError && (
        <p className="flex items-center gap-1.5 font-semibold text-bad">
          <CircleX aria-hidden className="size-4" />
          The tool reported an error
        </p>
      )}
      {content.length === 0 && structuredContent === undefined && (
        <p className="text-ink-soft">The tool returned no content.</p>
      )}
      {content.slice(0, count).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a result stay where they are
        <ContentBlock key={at} block={block} server={server} />
      ))}
      {left > 0 && (
        <div>
          <Button size="small" onClick={() => setCount(count + 5 * pageSize)}>
            {`Show more (${formatNumber(left)} of ${formatNumber(content.length)} parts hidden)`}
          </Button>
        </div>
      )}
      {structuredContent !== undefined && !repeatsText(result) && (
        <section className="flex min-w-0 flex-col gap-1">
          <p className="text-xs font-medium text-ink-soft">Structured content</p>
          <JsonView value={structuredContent} what="structured content" />
        </section>
      )}
      {truncated && callId !== undefined && <TruncatedResult callId={callId} />}
    </div>
  );
}
