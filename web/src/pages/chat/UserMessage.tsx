import { Pencil } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, memo, useState } from 'react';
import type { Message } from '../../api/client.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { TextArea } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { textOf } from './message-text.ts';
import type { ChatActions } from './use-chat-actions.ts';

export interface UserMessageProps {
  readonly message: Message;
  readonly busy: boolean;
  readonly actions: ChatActions;
}

const shortLength = 4_000;

/** A message of the user, with buttons to copy and edit it. */
export const UserMessage = memo(function UserMessage({ message, busy, actions }: UserMessageProps) {
  const [editing, setEditing] = useState(false);
  const [expanded, setExpanded] = useState(false);
  const text = textOf(message);
  if (editing) {
    return (
      <EditForm
        text={text}
        onClose={() => setEditing(false)}
        onSave={(changed) => {
          setEditing(false);
          actions.edit(message.id, changed);
        }}
      />
    );
  }
  const isLong = text.length > shortLength;
  return (
    <article aria-label="Your message" className="group flex flex-col items-end gap-0.5">
      <div className="max-w-[85%] min-w-0 rounded-xl rounded-br-sm bg-accent-soft px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {safeText(isLong && !expanded ? `${text.slice(0, shortLength)} …` : text, Number.POSITIVE_INFINITY)}
      </div>
      <div className="flex text-ink-faint">
        {isLong && (
          <Button look="quiet" size="small" aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
            {expanded ? 'Show less' : 'Show all'}
          </Button>
        )}
        <CopyButton text={text} what="message" />
        <IconButton label="Edit message" size="small" disabled={busy} onClick={() => setEditing(true)}>
          <Pencil aria-hidden />
        </IconButton>
      </div>
    </article>
  );
});

interface EditFormProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

function EditForm({ text, onSave, onClose }: EditFormProps) {
  const [changed, setChanged] = useState(text);
  const canSave = changed.trim() !== '';

  function save(event?: FormEvent): void {
    event?.preventDefault();
    if (canSave) onSave(changed.trim());
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && !event.shiftKey) save();
    else return;
    event.preventDefault();
  }

  return (
    <form className="flex flex-col gap-2" onSubmit={save}>
      <TextArea
        aria-label="Edit message"
        autoFocus
        value={changed}
        rows={Math.min(12, changed.split('\n').length + 1)}
        onChange={(event) => setChanged(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-xs text-ink-faint">Sending replaces this message and removes everything after it.</p>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <Button size="small" type="submit" look="primary" disabled={!canSave}>
          Send again
        </Button>
      </div>
    </form>
  );
}
