import { useQuery } from '@tanstack/react-query';
import { Download, FileText, ImageIcon } from 'lucide-react';
import { useState } from 'react';
import type { AttachmentPart } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { saveFile } from '../../components/content/save-file.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatBytes } from '../../text/formats.ts';
import { chatQueries } from './queries.ts';
import { toImageType } from './use-attachments.ts';

export interface AttachmentViewProps {
  readonly conversation: string;
  readonly attachment: AttachmentPart;
}

/** A file of a message: an image as a thumbnail, a text by its name. Opens in a dialog, as an image or as plain text. */
export function AttachmentView({ conversation, attachment }: AttachmentViewProps) {
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
