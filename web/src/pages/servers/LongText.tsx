import { useState } from 'react';
import { safeText } from '../../components/safe-text.ts';

const shortLength = 160;

/** What somebody else wrote: its beginning, and all of it on demand. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = safeText(text);
  const isShort = shown.length <= shortLength && !shown.includes('\n');
  if (isShort) return <span className="break-words">{shown}</span>;
  return (
    <>
      <span className="break-words whitespace-pre-wrap">
        {isWhole ? shown : `${shown.slice(0, shortLength).split('\n', 1)[0]} …`}
      </span>{' '}
      <button
        type="button"
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
        className="font-medium text-accent-strong underline underline-offset-2"
      >
        {isWhole ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}
