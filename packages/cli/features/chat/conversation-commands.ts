import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { attachmentLimits } from '../../../contract/chat.ts';
import { messageOf } from '../../../contract/errors.ts';
import type { NewAttachment } from '../../../gateway/features/chat/attachments.ts';
import { toExportedJson, toMarkdown } from '../../../gateway/features/chat/export-conversation.ts';
import { noConversation } from '../../../toolwharf/storage/ports/conversation-store.ts';
import { UsageError } from '../../core/errors.ts';
import { oneLine, shorten, shortId } from '../../core/terminal/format.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import type { ChatHost } from './chat-host.ts';
import type { Session } from './session.ts';
import { printRecap } from './text-output.ts';

/** Lists the conversations of the person at the terminal that contain the words. */
export async function searchConversations(query: string, { chat }: ChatHost, terminal: Terminal): Promise<void> {
  const { matches, total } = await chat.search(query);
  for (const { conversation, messages } of matches) {
    const excerpt = messages[0]?.excerpt ?? '';
    const cells = [shortId(conversation.id), conversation.title, excerpt].map(oneLine).filter(Boolean);
    terminal.note(shorten(`  ${cells.join('  ')}`, terminal.width));
  }
  if (total === 0) terminal.note('No conversation contains these words.');
  if (total > matches.length)
    terminal.note(`The latest ${matches.length} of ${total} conversations. More words find fewer.`);
}

/** Shows the versions of the last answer, or selects one and prints it. */
export async function selectVersion(
  given: string,
  session: Session,
  { chat }: ChatHost,
  terminal: Terminal,
): Promise<void> {
  const { view } = session;
  const last = view?.content.messages.findLast(({ role }) => role === 'assistant');
  if (!view || !last) throw new UsageError('There is no answer yet');
  const versions = last.versions ?? [last.id];
  if (given === '') {
    terminal.note(`Version ${versions.indexOf(last.id) + 1} of ${versions.length} of the last answer.`);
    return;
  }
  const version = versions[Number(given) - 1];
  if (version === undefined) throw new UsageError(`The last answer has the versions 1 to ${versions.length}`);
  const { conversation } = view.content;
  await chat.select(conversation.id, version);
  await session.open(conversation);
  printRecap(session, terminal);
}

/** Writes the conversation to a file, as JSON if its name ends in `.json`, or prints it as Markdown. */
export async function exportConversation(
  file: string,
  { view }: Session,
  { chat }: ChatHost,
  terminal: Terminal,
): Promise<void> {
  if (!view) throw new UsageError('There is no conversation to export');
  const { id } = view.content.conversation;
  const isJson = file.endsWith('.json');
  const content = await (isJson ? chat.readBranches(id) : chat.read(id));
  if (!content) throw noConversation(id);
  const { conversation, messages } = content;
  const exported = isJson ? toExportedJson(conversation, messages) : toMarkdown(conversation, messages);
  if (file === '') return terminal.print(exported.trimEnd());
  await writeFile(file, exported, { flag: 'wx' }).catch((cause) => {
    throw new UsageError(`${file} could not be written: ${messageOf(cause)}`);
  });
  terminal.note(`Exported to ${resolve(file)}`);
}

/** Reads a file that is sent with a message. */
export async function readAttachment(file: string): Promise<NewAttachment> {
  try {
    const { size } = await stat(file);
    if (size > attachmentLimits.maxMessageBytes)
      throw new Error(`it is larger than ${attachmentLimits.maxMessageBytes} bytes`);
    return { name: basename(file), data: (await readFile(file)).toString('base64') };
  } catch (cause) {
    throw new UsageError(`${file} cannot be attached: ${messageOf(cause)}`);
  }
}
