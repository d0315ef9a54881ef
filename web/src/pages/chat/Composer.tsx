import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/Button.tsx';
import { Form } from '../../components/fields.tsx';

export interface ComposerProps {
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  readonly onSend: (text: string) => void;
  /** Whether the last message is still being sent. */
  readonly sending: boolean;
  /** Only while an answer is running. */
  readonly onStop?: (() => void) | undefined;
  readonly stopping?: boolean;
  /** A note below the field. */
  readonly hint?: string | undefined;
  /** Why sending is disabled. */
  readonly disabledReason?: string | undefined;
  readonly ref?: RefObject<HTMLTextAreaElement | null>;
  /** The assistant picker. */
  readonly children?: ReactNode;
}

// The limit of the gateway.
const maxLength = 200_000;
const hasFieldSizing = CSS.supports('field-sizing', 'content');

/** The hint below an idle message field. */
export const sendHint = 'Enter to send, Shift+Enter for a new line.';

/** The message field. Enter sends, Shift+Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const {
    draft,
    onDraftChange,
    onSend,
    sending,
    onStop,
    stopping = false,
    hint,
    disabledReason,
    ref,
    children,
  } = props;
  const ownRef = useRef<HTMLTextAreaElement>(null);
  const field = ref ?? ownRef;
  const hintId = useId();
  const text = draft.trim();
  const canSend = text !== '' && !sending && disabledReason === undefined;
  const note = disabledReason ?? (text.length > maxLength ? 'The message is too long.' : hint);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height depends on the draft
  useLayoutEffect(() => {
    const area = field.current;
    if (!area || hasFieldSizing) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [draft, field]);

  useLayoutEffect(() => focusComposer(field.current), [field]);

  function send(): void {
    if (canSend && text.length <= maxLength) onSend(text);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Enter also confirms a character of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <Form className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6" onSubmit={() => send()}>
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
            onChange={(event) => onDraftChange(event.target.value)}
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
            <Button type="submit" look="primary" busy={sending} disabled={!canSend} title="Send (Enter)">
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
    </Form>
  );
}

/** Focuses the message field, except on touch screens: their keyboard would cover the page. */
export function focusComposer(field: HTMLTextAreaElement | null): void {
  if (matchMedia('(pointer: fine)').matches) field?.focus({ preventScroll: true });
}
