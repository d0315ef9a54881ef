import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/Button.tsx';

export interface ComposerProps {
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly onSend: (text: string) => void;
  /** What was sent last has not been taken yet. */
  readonly sending: boolean;
  /** Absent when there is nothing to stop. */
  readonly onStop?: (() => void) | undefined;
  readonly stopping?: boolean;
  /** What to know before sending. */
  readonly hint?: string | undefined;
  /** Why nothing can be sent now. */
  readonly refusal?: string | undefined;
  /** Where it is written, for those who want to bring the focus there. */
  readonly ref?: RefObject<HTMLTextAreaElement | null>;
  /** Which assistant reads it. */
  readonly children?: ReactNode;
}

// As many as the gateway takes.
const maxLength = 200_000;
const growsByItself = CSS.supports('field-sizing', 'content');

/** Where a person writes: Enter sends, Shift+Enter begins another line. */
export function Composer(props: ComposerProps) {
  const { draft, onDraft, onSend, sending, onStop, stopping = false, hint, refusal, ref, children } = props;
  const own = useRef<HTMLTextAreaElement>(null);
  const field = ref ?? own;
  const hintId = useId();
  const text = draft.trim();
  const maySend = text !== '' && !sending && refusal === undefined;
  const note = refusal ?? (text.length > maxLength ? 'This is too long for one message.' : hint);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows from what is written in it
  useLayoutEffect(() => {
    const area = field.current;
    if (!area || growsByItself) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [draft, field]);

  useLayoutEffect(() => focusForWriting(field.current), [field]);

  function send(): void {
    if (maySend && text.length <= maxLength) onSend(text);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Enter also ends the writing of a character in scripts that need it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <form
      className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="rounded-xl border border-line-strong/60 bg-surface focus-within:border-accent">
        <div className="flex items-end gap-2 p-2">
          <textarea
            ref={field}
            aria-label="Message"
            aria-describedby={note === undefined ? undefined : hintId}
            aria-keyshortcuts="Enter"
            rows={1}
            placeholder="Write a message"
            value={draft}
            onChange={(event) => onDraft(event.target.value)}
            onKeyDown={onKeyDown}
            className="max-h-60 min-h-9 w-full min-w-0 [field-sizing:content] resize-none bg-transparent px-1.5 py-1.5 leading-relaxed outline-none placeholder:text-ink-faint"
          />
          {onStop && (
            <Button
              look={text === '' ? 'primary' : 'secondary'}
              busy={stopping}
              onClick={onStop}
              aria-keyshortcuts="Escape"
            >
              {!stopping && <Square aria-hidden className="fill-current" />}
              <span className="max-sm:sr-only">Stop</span>
            </Button>
          )}
          {(!onStop || text !== '') && (
            <Button type="submit" look="primary" busy={sending} disabled={!maySend} title="Send (Enter)">
              {!sending && <ArrowUp aria-hidden />}
              <span className="max-sm:sr-only">Send</span>
            </Button>
          )}
        </div>
        {children}
      </div>
      <p id={hintId} className="min-h-4 px-2 pt-1 text-xs text-ink-faint">
        {note}
      </p>
    </form>
  );
}

/** Brings the focus to where one writes, except on a phone: its keyboard would cover half of the page. */
export function focusForWriting(field: HTMLTextAreaElement | null): void {
  if (matchMedia('(pointer: fine)').matches) field?.focus({ preventScroll: true });
}
