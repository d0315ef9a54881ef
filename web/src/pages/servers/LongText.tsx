import { useState } from 'react';
import { safeText } from '../../components/safe-text.ts';

const shortLength = 160;

/** Text from elsewhere, shortened until expanded. */
export function LongText({ text }: { readonly text: string }) {
  const [isExpanded, setExpanded] = useState(false);
  const shown = safeText(text);
  const isShort = shown.length <= shortLength && !shown.includes('\n');
  if (isShort) return <span className="break-words">{shown}</span>;
  return (
    <>
      <span className="break-words whitespace-pre-wrap">
        {isExpanded ? shown : `${shown.slice(0, shortLength).split('\n', 1)[0]} …`}
      </span>{' '}
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
