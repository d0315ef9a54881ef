import { type CSSProperties, memo, useEffect, useMemo, useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { classNames } from './class-names.ts';
import { type HighlightCode, loadHighlighter } from './highlight-code.ts';
import { safeText } from './safe-text.ts';

export interface CodeBlockProps {
  readonly code: string;
  /** A language name as in Markdown; code of unknown languages has no colours. */
  readonly language?: string;
  /** The noun for the copy button: "schema". */
  readonly what?: string;
  /** A CSS length. */
  readonly maxHeight?: string;
  /** Whether long lines wrap instead of scrolling; default true. */
  readonly wraps?: boolean;
}

const maxShown = 200_000;
const maxHighlighted = 50_000;

const colours = {
  '--code-foreground': 'var(--ink)',
  '--code-background': 'transparent',
  '--code-token-constant': 'var(--warn)',
  '--code-token-string': 'var(--good)',
  '--code-token-comment': 'var(--ink-faint)',
  '--code-token-keyword': 'var(--accent-strong)',
  '--code-token-parameter': 'var(--ink)',
  '--code-token-function': 'var(--info)',
  '--code-token-string-expression': 'var(--good)',
  '--code-token-punctuation': 'var(--ink-soft)',
  '--code-token-link': 'var(--accent-strong)',
  '--code-token-inserted': 'var(--good)',
  '--code-token-deleted': 'var(--bad)',
  '--code-token-changed': 'var(--warn)',
} as CSSProperties;

/** Code with syntax colours and a copy button. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
  what = 'code',
  maxHeight = '24rem',
  wraps = true,
}: CodeBlockProps) {
  const text = useMemo(() => safeText(code, maxShown), [code]);
  const highlight = useHighlighter(text.length > maxHighlighted ? undefined : language);
  const lines = useMemo(() => highlight?.(text), [highlight, text]);
  return (
    <div className="flex min-w-0 items-start rounded-md border border-line bg-sunken">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        role="group"
        aria-label={what}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by the keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-auto rounded-md"
        style={{ maxHeight, ...colours }}
      >
        <pre
          className={classNames(
            'px-3 py-2 font-mono text-xs leading-relaxed',
            wraps ? 'whitespace-pre-wrap' : 'w-max whitespace-pre',
          )}
        >
          <code>
            {lines === undefined
              ? text
              : lines.map((line, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name
                  <span key={row}>
                    {row > 0 && '\n'}
                    {line.map(({ content, color }, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: nor has a part of it
                      <span key={at} style={{ color }}>
                        {content}
                      </span>
                    ))}
                  </span>
                ))}
          </code>
        </pre>
      </div>
      <div className="p-1">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
});

function useHighlighter(language: string | undefined): HighlightCode | undefined {
  const [highlight, setHighlight] = useState<HighlightCode>();
  useEffect(() => {
    let current = true;
    setHighlight(undefined);
    if (language !== undefined) {
      loadHighlighter(language).then(
        (loaded) => current && setHighlight(() => loaded),
        // Without colours, the code stays readable.
        () => {},
      );
    }
    return () => {
      current = false;
    };
  }, [language]);
  return highlight;
}
