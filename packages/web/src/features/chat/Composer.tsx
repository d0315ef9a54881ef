import { ArrowUp, FileText, Paperclip, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Form } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useFileDrop } from '../../components/use-file-drop.ts';
import { formatBytes } from '../../text/formats.ts';
import type { PendingFiles } from './use-attachments.ts';

export interface ComposerProps {
  readonly draft: string;
  readonly onDraftChange: (draft: string) => void;
  readonly onSend: (text: string) => void;
  readonly attachments: PendingFiles;
  /** What else the message contains. */
  readonly added?: ReactNode;
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

/** The message field with its files. Enter sends, Shift+Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const {
    draft,
    onDraftChange,
    onSend,
    attachments,
    added,
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
  const picker = useRef<HTMLInputElement>(null);
  const isDragging = useFileDrop((files) => void attachments.add(files));
  const message = draft.trim();
  const isEmpty = message === '' && attachments.files.length === 0;
  const canSend = !isEmpty && !sending && disabledReason === undefined;
  const problem = message.length > maxLength ? 'The message is too long.' : attachments.problem;
  const note = disabledReason ?? problem ?? hint;

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height depends on the draft
  useLayoutEffect(() => {
    const area = field.current;
    if (!area || hasFieldSizing) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [draft, field]);

  useLayoutEffect(() => focusComposer(field.current), [field]);

  function send(): void {
    if (canSend && message.length <= maxLength) onSend(message);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Enter also confirms a character of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attachments.add(files);
  }

  return (
    <Form data-bottom-bar className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6" onSubmit={() => send()}>
      <div
        className={classNames(
          'relative rounded-xl border bg-surface focus-within:border-accent',
          isDragging ? 'border-accent' : 'border-line-strong/60',
        )}
      >
        {isDragging && (
          <p className="absolute inset-0 z-10 flex items-center justify-center rounded-xl bg-accent-soft font-medium">
            Drop files to attach them
          </p>
        )}
        {added}
        <PendingFileList files={attachments.files} remove={attachments.remove} />
        <div className="flex items-end gap-2 p-2">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Attach files"
            onChange={(event) => {
              void attachments.add([...(event.target.files ?? [])]);
              // The same file can be chosen again.
              event.target.value = '';
            }}
          />
          <IconButton label="Attach files" onClick={() => picker.current?.click()} icon={Paperclip} />
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
            onPaste={onPaste}
            className="max-h-60 min-h-9 w-full min-w-0 [field-sizing:content] resize-none bg-transparent px-1.5 py-1.5 leading-relaxed outline-none placeholder:text-ink-faint"
          />
          {onStop && (
            <Button
              look={isEmpty ? 'primary' : 'secondary'}
              busy={stopping}
              onClick={onStop}
              aria-keyshortcuts="Escape"
            >
              {!stopping && <Square aria-hidden className="fill-current" />}
              <span className="max-sm:sr-only">Stop</span>
            </Button>
          )}
          {(!onStop || !isEmpty) && (
            <Button type="submit" look="primary" busy={sending} disabled={!canSend} title="Send (Enter)" icon={ArrowUp}>
              <span className="max-sm:sr-only">Send</span>
            </Button>
          )}
        </div>
        {children}
      </div>
      <p
        id={hintId}
        aria-live="polite"
        className={classNames('min-h-4 px-2 pt-1 text-xs', problem === undefined ? 'text-ink-faint' : 'text-bad')}
      >
        {note}
      </p>
    </Form>
  );
}

/** Focuses the message field, except on touch screens: their keyboard would cover the page. */
export function focusComposer(field: HTMLTextAreaElement | null): void {
  if (matchMedia('(pointer: fine)').matches) field?.focus({ preventScroll: true });
}

/** The files attached to the message being written. */
function PendingFileList({ files, remove }: Pick<PendingFiles, 'files' | 'remove'>) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2 px-3 pt-3">
      {files.map(({ id, name, imageType, data, sizeBytes }) => (
        <li
          key={id}
          className="flex max-w-56 min-w-0 items-center gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-1.5"
        >
          {imageType === undefined ? (
            <FileText aria-hidden className="size-5 shrink-0 text-ink-faint" />
          ) : (
            <img src={`data:${imageType};base64,${data}`} alt="" className="size-9 shrink-0 rounded object-cover" />
          )}
          <span className="min-w-0 flex-1 text-xs">
            <span className="block truncate font-medium" title={safeText(name, 200)}>
              {safeText(name, 100)}
            </span>
            <span className="text-ink-faint">{formatBytes(sizeBytes)}</span>
          </span>
          <IconButton label={`Remove ${safeText(name, 100)}`} size="small" onClick={() => remove(id)} icon={X} />
        </li>
      ))}
    </ul>
  );
}
