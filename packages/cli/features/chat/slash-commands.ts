import type { NewAttachment } from '../../../gateway/features/chat/attachments.ts';
import { closest } from '../../../toolwharf/kernel/closest.ts';
import type { CommandContext } from '../../core/command-context.ts';
import { UsageError } from '../../core/errors.ts';
import { findById, findByName } from '../../core/find-item.ts';
import { editText } from '../../core/terminal/edit-text.ts';
import { ago, count, duration, oneLine, shorten, shortId } from '../../core/terminal/format.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import { type ChatHost, listOwnConversations } from './chat-host.ts';
import { findAssistant, findModel, modelLabel } from './chat-settings.ts';
import { exportConversation, readAttachment, searchConversations, selectVersion } from './conversation-commands.ts';
import type { Session } from './session.ts';
import { printRecap } from './text-output.ts';
import { describeCost, describeTokens } from './tool-row.ts';

/** The dependencies of slash commands. */
export interface SlashPorts {
  readonly session: Session;
  readonly host: ChatHost;
  readonly context: CommandContext;
  /** Starts an answer and reports its end. */
  readonly answer: (start: Parameters<Session['answer']>[0]) => Promise<void>;
  /** The files to send with the next message. */
  readonly attachments: NewAttachment[];
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
    const assistants = await host.settings.assistants();
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
    const { estimatedTokens, allTokens, exposed, warning, omitted, missingServers, ...available } = await host.tools(
      session.assistant,
    );
    for (const { server, originalName, description } of available.tools.filter(({ enabled }) => enabled)) {
      row(terminal, server ?? 'local', originalName, description);
    }
    for (const { name, reason } of omitted) terminal.note(`  omitted: ${oneLine(`${name}: ${reason}`)}`);
    for (const { id, reason } of missingServers) terminal.note(`  unavailable server: ${oneLine(`${id}: ${reason}`)}`);
    const saved = exposed !== 'all' ? `; a list of all tools would take about ${allTokens}` : '';
    terminal.note(`${count(available.count, 'tool')}, about ${estimatedTokens} tokens per request${saved}.`);
    if (warning !== undefined) terminal.say(oneLine(warning));
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
    await session.open(findById(id, await host.chat.list(), 'conversation'));
    printRecap(session, terminal);
    await follow();
  },

  search: (query, { host, context: { terminal } }) => searchConversations(query, host, terminal),

  versions: (version, { session, host, context: { terminal } }) => selectVersion(version, session, host, terminal),

  export: (file, { session, host, context: { terminal } }) => exportConversation(file, session, host, terminal),

  async attach(file, { attachments, context: { terminal } }) {
    attachments.push(await readAttachment(file));
    terminal.note(`Sent with the next message: ${attachments.map(({ name }) => oneLine(name)).join(', ')}`);
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
    const tokens = [describeTokens(conversation), describeCost(conversation)];
    const facts = [...tokens, duration(conversation.durationMs)].filter(Boolean);
    terminal.note(`${oneLine(conversation.title)}: ${facts.join(', ')}`);
  },
};

function row(terminal: Terminal, ...cells: string[]): void {
  terminal.note(shorten(`  ${cells.filter(Boolean).map(oneLine).join('  ')}`, terminal.width));
}

function modelRow(provider: string, { id, name }: { readonly id: string; readonly name?: string }): string {
  return oneLine(`${provider}/${id}${name === undefined || name === id ? '' : `  ${name}`}`);
}

/** The slash commands of a chat, with their argument and a description. */
export const slashCommands = {
  help: { takes: '', about: 'show this help' },
  assistant: { takes: '[NAME]', about: 'list the assistants, or switch to another' },
  model: { takes: '[PROVIDER[/MODEL]]', about: 'list providers or models, or switch to another model for this chat' },
  tools: { takes: '', about: "list the assistant's tools" },
  new: { takes: '', about: 'start a new conversation' },
  list: { takes: '', about: 'list your conversations' },
  open: { takes: 'ID', about: 'continue another conversation' },
  search: { takes: 'WORDS', about: 'search your conversations' },
  attach: { takes: 'FILE', about: 'send an image or a text file with the next message' },
  retry: { takes: '', about: 'generate another version of the last answer' },
  versions: { takes: '[NUMBER]', about: 'show or select the version of the last answer' },
  edit: { takes: '[TEXT]', about: 'change your last message and send it again' },
  resume: { takes: '', about: 'continue an answer that was stopped, interrupted or limited, or that failed' },
  stop: { takes: '', about: 'stop the answer in progress' },
  export: { takes: '[FILE]', about: 'print the conversation as Markdown, or write it to a .md or .json file' },
  usage: { takes: '', about: 'show the tokens, cost and duration of the conversation' },
  exit: { takes: '', about: 'exit' },
} as const;

export type SlashName = keyof typeof slashCommands;

/** A line of input. */
export type Line =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: SlashName; readonly argument: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'empty' };

/** Parses a line of input. Two slashes start a message that begins with a slash. */
export function parseLine(line: string): Line {
  const text = line.trim();
  if (text === '') return { kind: 'empty' };
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) };
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  // A path, such as /etc/hosts, is not a command.
  if (name === undefined) return { kind: 'message', text };
  const command = name.toLowerCase();
  const argument = rest.trim();
  if (!isCommand(command)) {
    const near = closest(command, Object.keys(slashCommands));
    const hint = near ? `Did you mean /${near}?` : 'Type /help for a list.';
    return { kind: 'invalid', message: `Unknown command /${command}. ${hint} To send it as a message, type //.` };
  }
  const { takes } = slashCommands[command];
  if (takes === '' && argument !== '') return { kind: 'invalid', message: `/${command} takes no argument.` };
  if (takes !== '' && !takes.startsWith('[') && argument === '')
    return { kind: 'invalid', message: `Usage: /${command} ${takes}` };
  return { kind: 'command', name: command, argument };
}

function isCommand(name: string): name is SlashName {
  return Object.hasOwn(slashCommands, name);
}
