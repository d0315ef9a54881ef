import { Brain } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../../components/Markdown.tsx';

/** What the model said it was thinking: there to be opened. */
export function Reasoning({ text, grows }: { readonly text: string; readonly grows: boolean }) {
  const [open, setOpen] = useState(false);
  if (text.trim() === '') return null;
  return (
    <details className="min-w-0 text-ink-soft" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex cursor-pointer items-center gap-1.5 rounded text-xs text-ink-faint hover:text-ink">
        <Brain aria-hidden className="size-3.5" />
        {grows ? 'Thinking …' : 'What it thought'}
      </summary>
      {open && (
        <div className="mt-1.5 border-l-2 border-line pl-3">
          <Markdown text={text} streaming={grows} />
        </div>
      )}
    </details>
  );
}
