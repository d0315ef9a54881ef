import { useState } from 'react';
import { safeText } from '../../components/safe-text.ts';

const shortLength = 400;

/** A description from a server, shortened until expanded. */
export function LongDescription({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  const trimmed = text.trim();
  if (trimmed === '') return <p className="text-ink-faint">No description.</p>;
  const isLong = trimmed.length > shortLength;
  const shown = isLong && !open ? `${trimmed.slice(0, shortLength)}…` : trimmed;
  return (
    <div className="max-w-prose">
      <p className="break-words whitespace-pre-wrap text-ink-soft">{safeText(shown)}</p>
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="text-accent-strong underline underline-offset-2"
        >
          {open ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  );
}
