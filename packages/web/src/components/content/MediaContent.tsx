import { Download } from 'lucide-react';
import { useState } from 'react';
import { formatBytes } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { safeText } from '../safe-text.ts';
import { useToast } from '../Toasts.tsx';
import { saveFile } from './save-file.ts';

// SVG is left out on purpose: it can contain scripts and links.
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
  /** The file name for the download. */
  readonly name?: string;
}

/** An embedded image or sound; other binary data is shown by its size. */
export function MediaContent({ data, mimeType = 'application/octet-stream', name = 'result' }: MediaContentProps) {
  const [broken, setBroken] = useState(false);
  const toast = useToast();
  const type = mimeType.toLowerCase().split(';')[0]?.trim() ?? '';
  const source = `data:${type};base64,${data}`;
  const label = `${safeText(mimeType, 100)}, ${formatBytes(base64Size(data))}`;

  function download(): void {
    const bytes = base64Bytes(data);
    if (bytes) saveFile(name, bytes, 'application/octet-stream');
    else toast.error(new Error('The data of the server is not valid base64'));
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
        {broken ? `The data does not match its type (${label})` : label}
        <Button size="small" look="quiet" onClick={download} icon={Download}>
          Download
        </Button>
      </figcaption>
    </figure>
  );
}

/** The size of base64 data, without decoding it. */
function base64Size(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** Decodes base64; undefined for invalid data. */
function base64Bytes(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
