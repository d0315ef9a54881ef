import { randomUUID } from 'node:crypto';
import { attachmentLimits } from '../../../contract/chat.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { AttachmentPart, Message } from '../../../contract/records/conversation.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { Attachment, ConversationStore } from '../../../toolwharf/storage/ports/conversation-store.ts';

/** A file that a user sends with a message. */
export interface NewAttachment {
  readonly name: string;
  /** Base64. */
  readonly data: string;
}

export interface ReadAttachment {
  readonly part: AttachmentPart;
  readonly stored: Attachment;
}

/** Validates the files of a message. The type is detected from the content; the name and the declared type are ignored. */
export function readAttachments(given: readonly NewAttachment[]): readonly ReadAttachment[] {
  const { maxFiles, maxMessageBytes } = attachmentLimits;
  if (given.length > maxFiles) throw refused(`A message can have at most ${maxFiles} files`);
  const read = given.map(readAttachment);
  const total = read.reduce((sum, { part }) => sum + part.sizeBytes, 0);
  if (total > maxMessageBytes) throw refused(`The files of a message can have at most ${maxMessageBytes} bytes`);
  return read;
}

function readAttachment({ name: given, data }: NewAttachment): ReadAttachment {
  const bytes = Buffer.from(data, 'base64');
  const name = toDisplayText(given.replaceAll(/[\\/\s]+/g, ' ').slice(-100), { maxLength: 100 }).trim() || 'file';
  if (bytes.length === 0) throw refused(`${name} is empty`);
  const mediaType = imageTypeOf(bytes);
  const kind = mediaType === undefined ? 'text' : 'image';
  if (kind === 'text') assertText(bytes, name);
  const id = randomUUID();
  const sizeBytes = bytes.length;
  return {
    part: { type: 'attachment', id, name, kind, mediaType: mediaType ?? 'text/plain', sizeBytes },
    stored: { id, sizeBytes, data: bytes.toString('base64') },
  };
}

/** The type of an image that models and browsers can show; undefined for any other content, such as SVG. */
function imageTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF....WEBP/s.test(start) ? 'image/webp' : undefined;
}

function assertText(bytes: Buffer, name: string): void {
  const { maxTextBytes } = attachmentLimits;
  const isText = !bytes.includes(0) && isUtf8(bytes);
  if (!isText) throw refused(`${name} is neither an image (PNG, JPEG, GIF, WebP) nor a text file`);
  if (bytes.length > maxTextBytes)
    throw refused(`${name} is larger than ${maxTextBytes} bytes, the limit of text files`);
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Rejects files that would exceed the limits of their conversation. */
export async function assertRoomFor(
  read: readonly ReadAttachment[],
  conversation: string,
  store: Pick<ConversationStore, 'attachmentTotals'>,
): Promise<void> {
  const { maxConversationFiles, maxConversationBytes } = attachmentLimits;
  const { count, sizeBytes } = await store.attachmentTotals(conversation);
  const added = read.reduce((sum, { part }) => sum + part.sizeBytes, 0);
  if (count + read.length <= maxConversationFiles && sizeBytes + added <= maxConversationBytes) return;
  throw new ToolwharfError(
    'LIMIT_REACHED',
    'The files of this conversation reach its limit: start a new conversation, or send the message without files',
  );
}

/** The attachments of messages. */
export function attachmentsOf(messages: readonly Message[]): AttachmentPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'attachment'));
}

/** The content of the attachments of messages by id, as base64. */
export async function loadAttachments(
  messages: readonly Message[],
  conversation: string,
  store: Pick<ConversationStore, 'attachment'>,
): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  for (const { id } of attachmentsOf(messages)) {
    const found = await store.attachment(conversation, id);
    if (found) loaded.set(id, found.data);
  }
  return loaded;
}

function refused(message: string): ToolwharfError {
  return new ToolwharfError('REQUEST_INVALID', message);
}
