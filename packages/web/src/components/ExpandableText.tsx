import { useState } from 'react';
import { safeText } from './safe-text.ts';

export interface ExpandableTextProps {
  readonly text: string;
  /** The number of characters before it is expanded. Default: 160, and only the first line. */
  readonly maxLength?: number;
}

/** Untrusted text, shortened until expanded. */
export function ExpandableText({ text: content, maxLength }: ExpandableTextProps) {
  const [isExpanded, setExpanded] = useState(false);
  const shown = safeText(content.trim());
  const short = shown.slice(0, maxLength ?? 160).toWellFormed();
  const visible = maxLength === undefined ? (short.split('\n', 1)[0] ?? '') : short;
  if (visible === shown) return <span className="break-words whitespace-pre-wrap">{shown}</span>;
  return (
    <>
      <span className="break-words whitespace-pre-wrap">{isExpanded ? shown : `${visible} …`}</span>{' '}
      <button
        type="button"
        aria-expanded={isExpanded}
        onClick={() => setExpanded(!isExpanded)}
        className="font-medium text-accent-strong underline underline-offset-2"
      >
        {isExpanded ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}

/** The description that a server gives its tool or prompt. */
export function Description({ text: content }: { readonly text: string }) {
  return (
    <p className="max-w-prose text-ink-soft">
      {content.trim() === '' ? 'No description.' : <ExpandableText text={content} maxLength={400} />}
    </p>
  );
}
