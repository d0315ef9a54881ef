import type { ModelInfo } from '../../../chat/models/models.ts';
import type { CommandContext } from '../../command.ts';
import { ago } from '../../terminal/ago.ts';
import { editText } from '../../terminal/edit-text.ts';
import { findById, shortId } from '../../terminal/find-by-id.ts';
import { count, duration, oneLine, shorten } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../usage-error.ts';
import type { ChatHost } from './chat-host.ts';
import { findAssistant, findModel, findNamed, modelLabel } from './find-settings.ts';
import { ownConversations } from './own-conversations.ts';
import { recap } from './recap.ts';
import type { Session } from './session.ts';
import { type SlashName, slashCommands } from './slash-command.ts';
import { tokensOf } from './tell-answer.ts';

/** What the commands of a conversation work with. */
export interface SlashPorts {
  readonly session: Session;
  readonly host: ChatHost;
  readonly context: CommandContext;
  /** Has something answered, and tells its end. */
  readonly answer: (begin: Parameters<Session['answer']>[0]) => Promise<void>;
  /** Shows an answer that is under way already. */
  readonly follow: () => Promise<void>;
}

type Action = (argument: string, ports: SlashPorts) => Promise<void> | void;

/** Does what a line that begins with a slash asks for. */
export async function runSlashCommand(
  name: Exclude<SlashName, 'exit'>,
  argument: string,
  ports: SlashPorts,
): Promise<void> {
  await actions[name](argument, ports);
}

const actions: Readonly<Record<Exclude<SlashName, 'exit'>, Action>> = {
  help(_, { context: { terminal } }) {
    for (const [name, { takes, about }] of Object.entries(slashCommands)) {
      terminal.note(`  ${`/${name} ${takes}`.padEnd(28)}${terminal.noteColors.dim(about)}`);
    }
    terminal.note(
      terminal.noteColors.dim('  A line that ends with \\ goes on in the next one. Ctrl-C ends an answer.'),
    );
  },

  async assistant(name, { session, host, context: { terminal } }) {
    const assistants = await host.settings.assistants.list();
    if (name !== '') await session.use(findAssistant(name, assistants));
    else for (const { id, name, description } of assistants) row(terminal, shortId(id), name, description);
    const { assistant } = session;
    const model = await modelLabel(assistant.model, host.settings);
    terminal.note(`With ${oneLine(assistant.name)} on ${oneLine(model)}, ${assistant.toolApproval}.`);
  },

  async model(given, { session, host, context: { terminal } }) {
    const providers = await host.settings.providers();
    if (given === '') {
      for (const { name, kind } of providers) row(terminal, name, kind);
      terminal.note(`Now ${oneLine(await modelLabel(session.assistant.model, host.settings))}.`);
      return;
    }
    const provider = given.includes('/') ? undefined : findNamed(given, providers, 'provider');
    if (provider && provider.kind !== 'demo') {
      for (const model of await host.settings.models(provider.id)) terminal.note(`  ${modelRow(provider.name, model)}`);
      return;
    }
    await session.vary({ model: findModel(given, providers) });
    terminal.note(`With ${oneLine(await modelLabel(session.assistant.model, host.settings))} until you leave.`);
  },

  async tools(_, { session, host, context: { terminal } }) {
    const {
      tools,
      count: shown,
      estimatedTokens,
      warning,
      omitted,
      missingServers,
    } = await host.tools(session.assistant);
    for (const { server, originalName, description } of tools.filter(({ enabled }) => enabled)) {
      row(terminal, server ?? 'local', originalName, description);
    }
    for (const { name, reason } of omitted) terminal.note(`  left out: ${oneLine(`${name}: ${reason}`)}`);
    for (const { id, reason } of missingServers) terminal.note(`  not there: ${oneLine(`${id}: ${reason}`)}`);
    terminal.note(`${count(shown, 'tool')}, about ${estimatedTokens} tokens with each question.`);
    if (warning !== undefined) terminal.note(oneLine(warning));
  },

  new(_, { session, context: { terminal } }) {
    session.leave();
    terminal.note('A new conversation.');
  },

  async list(_, { session, host, context: { terminal } }) {
    const conversations = await ownConversations(host.chat);
    const current = session.view?.content.conversation.id;
    for (const { id, title, updatedAt, status } of conversations.slice(0, 20)) {
      const state = status === 'idle' ? ago(updatedAt) : status;
      row(terminal, shortId(id), title, `${state}${id === current ? ', this one' : ''}`);
    }
    if (conversations.length === 0) terminal.note('No conversation yet.');
    if (conversations.length > 20) terminal.note(`and ${conversations.length - 20} more`);
  },

  async open(id, { session, host, context: { terminal }, follow }) {
    await session.open(findById(id, await host.chat.list({ limit: 1_000 }), 'conversation'));
    recap(session, terminal);
    await follow();
  },

  async retry(_, { session, answer }) {
    const last = session.view?.content.messages.findLast(({ role }) => role === 'assistant');
    if (!last) throw new UsageError('There is no answer yet');
    await answer((chat, id) => chat.retry(id, last.id));
  },

  async edit(text, { session, context: { terminal, env, signal }, answer }) {
    const last = session.view?.content.messages.findLast(({ role }) => role === 'user');
    if (!last) throw new UsageError('You have said nothing yet');
    const before = last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const asked = { terminal, env, signal, question: terminal.noteColors.cyan('› '), fileName: 'message.md' };
    const after = (text || (await editText(before, asked)))?.trim();
    if (after) await answer((chat, id) => chat.edit(id, last.id, after));
  },

  async resume(_, { session, answer }) {
    if (!session.view) throw new UsageError('There is nothing to go on with yet');
    await answer((chat, id) => chat.resume(id));
  },

  async stop(_, { session, context: { terminal } }) {
    await session.stop();
    terminal.note('Nothing is being answered now.');
  },

  usage(_, { session, context: { terminal } }) {
    const conversation = session.view?.content.conversation;
    if (!conversation) return terminal.note('Nothing yet.');
    const facts = [...tokensOf(conversation), duration(conversation.durationMs)];
    terminal.note(`${oneLine(conversation.title)}: ${facts.join(', ')}`);
  },
};

function row(terminal: Terminal, ...words: string[]): void {
  terminal.note(shorten(`  ${words.filter(Boolean).map(oneLine).join('  ')}`, terminal.width));
}

function modelRow(provider: string, { id, name }: ModelInfo): string {
  return oneLine(`${provider}/${id}${name === undefined || name === id ? '' : `  ${name}`}`);
}
