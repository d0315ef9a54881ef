import { useState } from 'react';
import type { AttachmentInput } from '../../api/client.ts';
import { randomId } from '../../components/random-id.ts';
import { formatBinaryBytes } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

/** A file that is attached to the message being written. */
export interface PendingFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Base64. */
  readonly data: string;
  /** The type of an image that can be shown; undefined for other files. */
  readonly imageType: ImageType | undefined;
}

export interface PendingFiles {
  readonly files: readonly PendingFile[];
  /** Why the last file was not attached. */
  readonly problem: string | undefined;
  add(added: Iterable<File>): Promise<void>;
  remove(id: string): void;
  clear(): void;
}

// The limits of the gateway.
const maxFiles = 8;
const maxTotalBytes = 2.5 * 1024 * 1024;

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof imageTypes)[number];

/** The type of an image that browsers show without running anything; undefined for other types, such as SVG. */
export function toImageType(type: string): ImageType | undefined {
  return imageTypes.find((known) => known === type);
}

/** The body of the request for attached files. */
export function toInput(files: readonly PendingFile[]): AttachmentInput[] {
  return files.map(({ name, data }) => ({ name, data }));
}

/** The files attached to the message being written. The gateway decides what they are. */
export function useAttachments(): PendingFiles {
  const [files, setFiles] = useState<readonly PendingFile[]>([]);
  const [problem, setProblem] = useState<string>();
  return {
    files,
    problem,
    async add(added) {
      const read: PendingFile[] = [...files];
      let failed: string | undefined;
      for (const file of added) {
        if (read.length >= maxFiles) failed = `Attach at most ${plural(maxFiles, 'file')}.`;
        else {
          const one = await readFile(file).catch(() => undefined);
          const total = [...read, ...(one ? [one] : [])].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          if (!one) failed = `${file.name} could not be read.`;
          else if (total > maxTotalBytes)
            failed = `${file.name} is too large. The files of a message can have ${formatBinaryBytes(maxTotalBytes)}.`;
          else read.push(one);
        }
      }
      setFiles(read);
      setProblem(failed);
    },
    remove(id) {
      setFiles((current) => current.filter((file) => file.id !== id));
      setProblem(undefined);
    },
    clear() {
      setFiles([]);
      setProblem(undefined);
    },
  };
}

async function readFile(file: File): Promise<PendingFile> {
  const imageType = toImageType(file.type);
  const content = imageType === undefined ? file : await shrinkImage(file);
  if (content.size > maxTotalBytes) return { ...empty, name: file.name, sizeBytes: content.size };
  const bytes = new Uint8Array(await content.arrayBuffer());
  return {
    id: randomId(),
    name: file.name,
    sizeBytes: bytes.length,
    data: toBase64(bytes),
    imageType: imageType && toImageType(content.type),
  };
}

const empty = { id: '', data: '', imageType: undefined };

const maxImageBytes = 1024 * 1024;
const maxImagePixels = 2_000;

/** Makes a large image smaller: models scale it down anyway. */
async function shrinkImage(file: File): Promise<Blob> {
  if (file.size <= maxImageBytes || file.type === 'image/gif') return file;
  const image = await createImageBitmap(file);
  const scale = Math.min(1, maxImagePixels / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(Math.ceil(image.width * scale), Math.ceil(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const smaller = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 });
  return smaller.size < file.size ? smaller : file;
}

function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(pieces.join(''));
}
