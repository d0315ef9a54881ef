import { useState } from 'react';
import { safeText } from '../../components/safe-text.ts';

const short = 400;

/** What a server says about something: its beginning, and all of it when asked for. */
export function LongDescription({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  const trimmed = text.trim();
  if (trimmed === '') return <p className="text-ink-faint">The server says nothing about it.</p>;
  const isLong = trimmed.length > short;
  const shown = isLong && !open ? `${trimmed.slice(0, short)}…` : trimmed;
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
          {open ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </div>
  );
}
