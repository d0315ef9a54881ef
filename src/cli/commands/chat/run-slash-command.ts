import type { ModelInfo } from '../../../chat/models/models.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../command-errors.ts';
import { findById, findByName, shortId } from '../../find-item.ts';
import { ago } from '../../terminal/ago.ts';
import { editText } from '../../terminal/edit-text.ts';
import { count, duration, oneLine, shorten } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type ChatHost, listOwnConversations } from './chat-host.ts';
import { findAssistant, findModel, modelLabel } from './find-settings.ts';
import { printRecap } from './recap.ts';
import { describeTokens } from './report-answer.ts';
import type { Session } from './session.ts';
import { type SlashName, slashCommands } from './slash-command.ts';

/** What slash commands need. */
export interface SlashPorts {
  readonly session: Session;
  readonly host: ChatHost;
  readonly context: CommandContext;
  /** Starts an answer and reports its end. */
  readonly answer: (start: Parameters<Session['answer']>[0]) => Promise<void>;
  /** Prints an answer in progress. */
  readonly follow: () => Promise<void>;
}

type Action = (argument: string, ports: SlashPorts) => Promise<void> | void;

/** Runs a slash command. */
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
    terminal.note(terminal.noteColors.dim('  End a line with \\ to continue on the next. Ctrl-C stops an answer.'));
  },

  async assistant(name, { session, host, context: { terminal } }) {
    const assistants = await host.settings.assistants.list();
    if (name !== '') await session.use(findAssistant(name, assistants));
    else for (const { id, name, description } of assistants) row(terminal, shortId(id), name, description);
    const { assistant } = session;
    const model = modelLabel(assistant.model, await host.settings.providers());
    terminal.note(`Current: ${oneLine(assistant.name)}, ${oneLine(model)}, ${assistant.toolApproval}`);
  },

  async model(given, { session, host, context: { terminal } }) {
    const providers = await host.settings.providers();
    if (given === '') {
      for (const { name, kind } of providers) row(terminal, name, kind);
      terminal.note(`Current: ${oneLine(modelLabel(session.assistant.model, providers))}`);
      return;
    }
    const provider = given.includes('/') ? undefined : findByName(given, providers, 'provider');
    if (provider && provider.kind !== 'demo') {
      for (const model of await host.settings.models(provider.id)) terminal.note(`  ${modelRow(provider.name, model)}`);
      return;
    }
    await session.override({ model: findModel(given, providers) });
    terminal.note(`Using ${oneLine(modelLabel(session.assistant.model, providers))} for this chat.`);
  },

  async tools(_, { session, host, context: { terminal } }) {
    const { estimatedTokens, warning, omitted, missingServers, ...available } = await host.tools(session.assistant);
    for (const { server, originalName, description } of available.tools.filter(({ enabled }) => enabled)) {
      row(terminal, server ?? 'local', originalName, description);
    }
    for (const { name, reason } of omitted) terminal.note(`  omitted: ${oneLine(`${name}: ${reason}`)}`);
    for (const { id, reason } of missingServers) terminal.note(`  unavailable server: ${oneLine(`${id}: ${reason}`)}`);
    terminal.note(`${count(available.count, 'tool')}, about ${estimatedTokens} tokens per request.`);
    if (warning !== undefined) terminal.note(oneLine(warning));
  },

  new(_, { session, context: { terminal } }) {
    session.leave();
    terminal.note('Started a new conversation.');
  },

  async list(_, { session, host, context: { terminal } }) {
    const conversations = await listOwnConversations(host.chat);
    const current = session.view?.content.conversation.id;
    for (const { id, title, updatedAt, status } of conversations.slice(0, 20)) {
      const state = status === 'idle' ? ago(updatedAt) : status;
      row(terminal, shortId(id), title, `${state}${id === current ? ', current' : ''}`);
    }
    if (conversations.length === 0) terminal.note('No conversations yet.');
    if (conversations.length > 20) terminal.note(`and ${conversations.length - 20} more`);
  },

  async open(id, { session, host, context: { terminal }, follow }) {
    await session.open(findById(id, await host.chat.list({ limit: 1_000 }), 'conversation'));
    printRecap(session, terminal);
    await follow();
  },

  async retry(_, { session, answer }) {
    const last = session.view?.content.messages.findLast(({ role }) => role === 'assistant');
    if (!last) throw new UsageError('There is no answer to generate again');
    await answer((chat, id) => chat.retry(id, last.id));
  },

  async edit(text, { session, context: { terminal, env, signal }, answer }) {
    const last = session.view?.content.messages.findLast(({ role }) => role === 'user');
    if (!last) throw new UsageError('You have not sent a message yet');
    const before = last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const options = { terminal, env, signal, question: terminal.noteColors.cyan('› '), fileName: 'message.md' };
    const after = (text || (await editText(before, options)))?.trim();
    if (after) await answer((chat, id) => chat.edit(id, last.id, after));
  },

  async resume(_, { session, answer }) {
    if (!session.view) throw new UsageError('There is no answer to continue');
    await answer((chat, id) => chat.resume(id));
  },

  async stop(_, { session, context: { terminal } }) {
    await session.stop();
    terminal.note('The answer was stopped.');
  },

  usage(_, { session, context: { terminal } }) {
    const conversation = session.view?.content.conversation;
    if (!conversation) return terminal.note('No messages yet.');
    const facts = [describeTokens(conversation), duration(conversation.durationMs)].filter(Boolean);
    terminal.note(`${oneLine(conversation.title)}: ${facts.join(', ')}`);
  },
};

function row(terminal: Terminal, ...cells: string[]): void {
  terminal.note(shorten(`  ${cells.filter(Boolean).map(oneLine).join('  ')}`, terminal.width));
}

function modelRow(provider: string, { id, name }: ModelInfo): string {
  return oneLine(`${provider}/${id}${name === undefined || name === id ? '' : `  ${name}`}`);
}
