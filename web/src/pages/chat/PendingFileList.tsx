import { FileText, X } from 'lucide-react';
import { IconButton } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatBytes } from '../../text/formats.ts';
import { text } from '../../text/text.ts';
import type { PendingFiles } from './use-attachments.ts';

/** The files attached to the message being written. */
export function PendingFileList({ files, remove }: Pick<PendingFiles, 'files' | 'remove'>) {
  if (files.length === 0) return null;
  return (
    <ul aria-label={text.chat.composer.files} className="flex flex-wrap gap-2 px-3 pt-3">
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
          <IconButton label={text.chat.composer.remove(safeText(name, 100))} size="small" onClick={() => remove(id)}>
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
