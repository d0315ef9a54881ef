import { open } from 'node:fs/promises';
import { messageOf, ToolwharfError } from '../../contract/errors.ts';

/**
 * Reads a configuration file as UTF-8, or as UTF-16 with a byte order mark. Throws `CONFIG_INVALID` if the file is
 * unreadable, too large, empty or not text.
 */
export async function readConfigFile(file: string): Promise<string> {
  const bytes = await readBytes(file);
  if (bytes.length > maxConfigBytes) throw invalid(file, 'is larger than 1 MiB, too large for a configuration file');
  const text = decode(bytes);
  if (text === undefined) throw invalid(file, 'is not a text file in UTF-8');
  if (text.trim() === '') throw invalid(file, 'is empty: write at least `servers: {}`');
  return text;
}

const maxConfigBytes = 1024 * 1024;

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    await using handle = await open(file, 'r');
    // Reading one byte more than the limit detects a file that is too large without reading the rest, also from a pipe.
    const buffer = Buffer.alloc(maxConfigBytes + 1);
    const isFile = (await handle.stat()).isFile();
    let length = 0;
    let bytesRead: number;
    do {
      ({ bytesRead } = await handle.read(buffer, length, buffer.length - length));
      length += bytesRead;
      // A file is read at once. If it is rewritten meanwhile, a second read would append the end of the new version.
    } while (!isFile && bytesRead > 0 && length < buffer.length);
    return buffer.subarray(0, length);
  } catch (cause) {
    throw invalid(file, reasonOf(cause), cause);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(utf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EISDIR') return 'is a directory, not a file';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read (permission denied)';
  return `can't be read: ${messageOf(cause)}`;
}

function invalid(file: string, reason: string, cause?: unknown): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `The configuration file '${file}' ${reason}`, {
    cause,
    data: { file, problems: [{ file, path: '', message: reason }] },
  });
}
