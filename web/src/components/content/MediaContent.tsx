import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../Button.tsx';
import { formatBytes } from '../format-bytes.ts';
import { safeText } from '../safe-text.ts';
import { useToast } from '../Toasts.tsx';
import { base64Bytes, base64Size } from './base64.ts';
import { saveFile } from './save-file.ts';

// Never SVG: it is a document with scripts and links of its own.
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const audioTypes = new Set([
  'audio/aac',
  'audio/flac',
  'audio/mp3',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/wave',
  'audio/webm',
  'audio/x-wav',
]);

export interface MediaContentProps {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string | undefined;
  /** What it is called when it is saved. */
  readonly name?: string;
}

/** An image or a sound out of the message itself, or the size of what can be neither seen nor heard. */
export function MediaContent({ data, mimeType = 'application/octet-stream', name = 'result' }: MediaContentProps) {
  const [broken, setBroken] = useState(false);
  const toast = useToast();
  const type = mimeType.toLowerCase().split(';')[0]?.trim() ?? '';
  const source = `data:${type};base64,${data}`;
  const label = `${safeText(mimeType, 100)}, ${formatBytes(base64Size(data))}`;

  function save(): void {
    const bytes = base64Bytes(data);
    if (bytes) saveFile(name, bytes, 'application/octet-stream');
    else toast.error(new Error('What the server sent is not valid base64'));
  }

  return (
    <figure className="flex min-w-0 flex-col items-start gap-1.5">
      {imageTypes.has(type) && !broken && (
        <img
          src={source}
          alt={`From the server: ${label}`}
          decoding="async"
          onError={() => setBroken(true)}
          className="max-h-96 max-w-full rounded-md border border-line bg-sunken object-contain"
        />
      )}
      {audioTypes.has(type) && !broken && (
        // biome-ignore lint/a11y/useMediaCaption: a server's sound has no captions
        <audio controls src={source} onError={() => setBroken(true)} className="max-w-full" aria-label={label} />
      )}
      <figcaption className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        {broken ? `This can't be shown: it is not what it says it is (${label})` : label}
        <Button size="small" look="quiet" onClick={save}>
          <Download aria-hidden />
          Save
        </Button>
      </figcaption>
    </figure>
  );
}
