import { closest } from '../../../kernel/closest.ts';

/** What can be done in a conversation besides saying something, with what it takes and does. */
export const slashCommands = {
  help: { takes: '', about: 'show this' },
  assistant: { takes: '[NAME]', about: 'list the assistants, or go on with another' },
  model: { takes: '[PROVIDER[/MODEL]]', about: 'list what there is, or go on with another model until you leave' },
  tools: { takes: '', about: 'list the tools the assistant has' },
  new: { takes: '', about: 'begin a new conversation' },
  list: { takes: '', about: 'list your conversations' },
  open: { takes: 'ID', about: 'go on with another conversation' },
  retry: { takes: '', about: 'have the last answer given once more' },
  edit: { takes: '[TEXT]', about: 'say something else instead of what you said last' },
  resume: { takes: '', about: 'go on with an answer that was stopped, interrupted, limited or failed' },
  stop: { takes: '', about: 'end what is being answered' },
  usage: { takes: '', about: 'show what the conversation has cost so far' },
  exit: { takes: '', about: 'leave' },
} as const;

export type SlashName = keyof typeof slashCommands;

export type Line =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'command'; readonly name: SlashName; readonly argument: string }
  | { readonly kind: 'mistake'; readonly message: string }
  | { readonly kind: 'nothing' };

/** What a person's line means. Two slashes begin a text that begins with one. */
export function parseLine(line: string): Line {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.startsWith('//')) return { kind: 'say', text: text.slice(1) };
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  // A path is no command.
  if (name === undefined) return { kind: 'say', text };
  const wanted = name.toLowerCase();
  const argument = rest.trim();
  if (!isCommand(wanted)) {
    const meant = closest(wanted, Object.keys(slashCommands));
    const hint = meant ? `did you mean /${meant}?` : '/help shows what there is';
    return { kind: 'mistake', message: `There is no /${wanted}; ${hint} To say it, begin with two slashes.` };
  }
  const { takes } = slashCommands[wanted];
  if (takes === '' && argument !== '') return { kind: 'mistake', message: `/${wanted} takes nothing more.` };
  if (takes !== '' && !takes.startsWith('[') && argument === '')
    return { kind: 'mistake', message: `/${wanted} takes ${takes}.` };
  return { kind: 'command', name: wanted, argument };
}

function isCommand(name: string): name is SlashName {
  return Object.hasOwn(slashCommands, name);
}
