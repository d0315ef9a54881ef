import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../text/formats.ts';
import { Button } from './Button.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { MarkdownBlock } from './MarkdownBlock.tsx';
import { safeText } from './safe-text.ts';
import { splitMarkdown } from './split-markdown.ts';

export interface MarkdownProps {
  readonly text: string;
  /** The text still grows: it is rendered at a bounded rate. */
  readonly streaming?: boolean;
}

// Longer texts are shown in pieces on demand.
const pieceLength = 100_000;

/** Untrusted Markdown: HTML is not rendered, remote images are not loaded, every link shows its host. */
export const Markdown = memo(function Markdown({ text: content, streaming = false }: MarkdownProps) {
  const [pieces, setPieces] = useState(1);
  const shownLength = pieces * pieceLength;
  // Longer texts take longer to parse, so they are parsed less often.
  const latest = useBoundedRate(
    content.slice(0, shownLength),
    streaming ? 80 + Math.min(content.length, shownLength) / 500 : 0,
  );
  const blocks = useMemo(() => splitMarkdown(latest), [latest]);
  return (
    <div className="min-w-0 space-y-2.5 break-words">
      {blocks.map(({ kind, text: block, language }, index) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
        if (kind === 'code') {
          // Long code gets its colours once it is complete.
          const isGrowing = streaming && index === blocks.length - 1 && block.length > 4_000;
          return <CodeBlock key={index} code={block} language={isGrowing ? undefined : language} />;
        }
        if (kind === 'plain') return <PlainBlock key={index} text={block} />;
        return <MarkdownBlock key={index} text={block} />;
        // biome-ignore-end lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
      })}
      {content.length > shownLength && (
        <p className="flex flex-wrap items-center gap-2 text-xs text-ink-faint">
          {streaming
            ? `${formatNumber(shownLength)} of ${formatNumber(content.length)} characters are shown, more to come.`
            : `${formatNumber(shownLength)} of ${formatNumber(content.length)} characters are shown.`}
          <Button size="small" onClick={() => setPieces(pieces + 1)}>
            Show more
          </Button>
        </p>
      )}
    </div>
  );
});

const PlainBlock = memo(function PlainBlock({ text: content }: { readonly text: string }) {
  return <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">{safeText(content, Number.POSITIVE_INFINITY)}</p>;
});

/** The latest value, updated at most every `everyMs`; 0 means always. */
function useBoundedRate<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value);
  const latest = useRef({ value, everyMs });
  latest.current = { value, everyMs };
  const isBounded = everyMs > 0;
  useEffect(() => {
    if (!isBounded) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const show = () => {
      setShown(latest.current.value);
      timer = setTimeout(show, latest.current.everyMs);
    };
    show();
    return () => clearTimeout(timer);
  }, [isBounded]);
  return isBounded ? shown : value;
}
