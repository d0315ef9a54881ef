import { closest } from '../../../kernel/closest.ts';

/** The slash commands of a chat, with their argument and a description. */
export const slashCommands = {
  help: { takes: '', about: 'show this help' },
  assistant: { takes: '[NAME]', about: 'list the assistants, or switch to another' },
  model: { takes: '[PROVIDER[/MODEL]]', about: 'list providers or models, or switch to another model for this chat' },
  tools: { takes: '', about: "list the assistant's tools" },
  new: { takes: '', about: 'start a new conversation' },
  list: { takes: '', about: 'list your conversations' },
  open: { takes: 'ID', about: 'continue another conversation' },
  retry: { takes: '', about: 'generate the last answer again' },
  edit: { takes: '[TEXT]', about: 'change your last message and send it again' },
  resume: { takes: '', about: 'continue an answer that was stopped, interrupted or limited, or that failed' },
  stop: { takes: '', about: 'stop the answer in progress' },
  usage: { takes: '', about: 'show the tokens and duration of the conversation' },
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
