import { useQuery } from '@tanstack/react-query';
import { Download, FileText, ImageIcon, Pencil } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, memo, useState } from 'react';
import type { AppPart, AttachmentPart, Message } from '../../api/client.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { saveFile } from '../../components/content/save-file.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { TextArea } from '../../components/fields.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatBytes } from '../../text/formats.ts';
import { AppTextView } from './AppContextList.tsx';
import { textOf } from './message-text.ts';
import { chatQueries } from './queries.ts';
import { toImageType } from './use-attachments.ts';
import type { ChatActions } from './use-chat-actions.ts';
import { VersionSwitch } from './VersionSwitch.tsx';

export interface UserMessageProps {
  /** The id of the conversation. */
  readonly conversation: string;
  readonly message: Message;
  readonly busy: boolean;
  /** Whether no answer is running. */
  readonly isIdle: boolean;
  readonly actions: ChatActions;
}

const shortLength = 4_000;

/** A message of the user with its files, and buttons to copy and edit it. */
export const UserMessage = memo(function UserMessage(props: UserMessageProps) {
  const { conversation, message, busy, isIdle, actions } = props;
  const [editing, setEditing] = useState(false);
  const [expanded, setExpanded] = useState(false);
  const content = textOf(message);
  const apps = message.parts.filter((part) => part.type === 'app');
  const files = message.parts.filter((part) => part.type === 'attachment');
  if (editing) {
    return (
      <EditForm
        content={content}
        onClose={() => setEditing(false)}
        onSave={(changed) => {
          setEditing(false);
          actions.edit(message.id, changed);
        }}
      />
    );
  }
  const isLong = content.length > shortLength;
  return (
    <article aria-label="Your message" className="group flex flex-col items-end gap-0.5">
      {files.length > 0 && (
        <div className="mb-1 flex max-w-[85%] flex-wrap items-end justify-end gap-2">
          {files.map((file) => (
            <AttachmentView key={file.id} conversation={conversation} attachment={file} />
          ))}
        </div>
      )}
      {apps.map((part) => (
        <AppPartView key={`${part.callId} ${part.kind}`} part={part} />
      ))}
      {content !== '' && (
        <div className="max-w-[85%] min-w-0 rounded-xl rounded-br-sm bg-accent-soft px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
          {safeText(isLong && !expanded ? `${content.slice(0, shortLength)} …` : content, Number.POSITIVE_INFINITY)}
        </div>
      )}
      <div className="flex text-ink-faint">
        {isLong && (
          <Button look="quiet" size="small" aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
            {expanded ? 'Show less' : 'Show all'}
          </Button>
        )}
        <VersionSwitch message={message} disabled={busy || !isIdle} onSelect={actions.select} />
        {content !== '' && <CopyButton text={content} what="message" />}
        {(content !== '' || apps.length === 0) && (
          <IconButton
            label="Edit message"
            size="small"
            disabled={busy}
            onClick={() => setEditing(true)}
            icon={Pencil}
          />
        )}
      </div>
    </article>
  );
});

/** What an app wrote into the message, under the name of its server. */
function AppPartView({ part: { kind, server, text: written } }: { readonly part: AppPart }) {
  const name = safeText(server, 100);
  if (kind === 'message') {
    return (
      <div className="max-w-[85%] min-w-0 rounded-xl rounded-br-sm border border-line bg-surface px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
        <p className="mb-1 text-xs text-ink-soft">{`Written by the app of server ${name}`}</p>
        {safeText(written, Number.POSITIVE_INFINITY)}
      </div>
    );
  }
  return (
    <details className="max-w-[85%] min-w-0 text-xs text-ink-soft">
      <summary className="cursor-pointer">{`With context of the app of server ${name}`}</summary>
      <AppTextView content={written} />
    </details>
  );
}

interface EditFormProps {
  readonly content: string;
  readonly onSave: (content: string) => void;
  readonly onClose: () => void;
}

function EditForm({ content, onSave, onClose }: EditFormProps) {
  const [changed, setChanged] = useState(content);
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
        <p className="mr-auto text-xs text-ink-faint">Sending starts a new branch. The earlier version stays.</p>
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

interface AttachmentViewProps {
  readonly conversation: string;
  readonly attachment: AttachmentPart;
}

/** A file of a message: an image as a thumbnail, a text by its name. Opens in a dialog, as an image or as plain text. */
function AttachmentView({ conversation, attachment }: AttachmentViewProps) {
  const [isOpen, setOpen] = useState(false);
  const { name, sizeBytes } = attachment;
  const imageType = toImageType(attachment.mediaType);
  const isImage = attachment.kind === 'image' && imageType !== undefined;
  const { data } = useQuery({ ...chatQueries.attachment(conversation, attachment.id), enabled: isImage });
  const size = formatBytes(sizeBytes);
  const shown = safeText(name, 100);
  return (
    <>
      <button
        type="button"
        aria-label={isImage && data ? `Open ${shown}, ${size}` : undefined}
        title={shown}
        onClick={() => setOpen(true)}
        className="flex min-w-0 items-center gap-2 overflow-hidden rounded-lg border border-line bg-surface hover:border-accent"
      >
        {isImage && data ? (
          <img src={`data:${imageType};base64,${data.data}`} alt="" className="h-24 max-w-56 object-cover" />
        ) : (
          <span className="flex min-h-10 items-center gap-2 px-2.5 py-1.5 text-left text-xs">
            {isImage ? <ImageIcon aria-hidden className="size-4" /> : <FileText aria-hidden className="size-4" />}
            <span className="max-w-48 truncate font-medium">{shown}</span>
            <span className="text-ink-faint">{size}</span>
          </span>
        )}
      </button>
      {isOpen && (
        <AttachmentDialog conversation={conversation} attachment={attachment} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function AttachmentDialog({
  conversation,
  attachment: { id, name, kind, mediaType, sizeBytes },
  onClose,
}: AttachmentViewProps & { readonly onClose: () => void }) {
  const { data, error } = useQuery(chatQueries.attachment(conversation, id));
  const imageType = kind === 'image' ? toImageType(mediaType) : undefined;
  return (
    <Dialog
      open
      onClose={onClose}
      shape="wide"
      title={safeText(name, 100)}
      description={formatBytes(sizeBytes)}
      footer={
        <Button
          disabled={!data}
          onClick={() => data && saveFile(name, toBytes(data.data), imageType ?? 'text/plain')}
          icon={Download}
        >
          Save
        </Button>
      }
    >
      {error ? (
        <ErrorNotice error={error} />
      ) : !data ? (
        <Spinner label="Loading the file …" />
      ) : imageType === undefined ? (
        <pre className="text-xs [overflow-wrap:anywhere] whitespace-pre-wrap">
          {safeText(new TextDecoder().decode(toBytes(data.data)), Number.POSITIVE_INFINITY)}
        </pre>
      ) : (
        <img src={`data:${imageType};base64,${data.data}`} alt={safeText(name, 100)} className="mx-auto max-w-full" />
      )}
    </Dialog>
  );
}

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
