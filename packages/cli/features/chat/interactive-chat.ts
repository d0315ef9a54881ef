import { messageOf } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/records/conversation.ts';
import type { NewAttachment } from '../../../gateway/features/chat/attachments.ts';
import type { CommandContext } from '../../core/command-context.ts';
import { exitCodes, reportError, UnavailableError } from '../../core/errors.ts';
import { count, oneLine } from '../../core/terminal/format.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import type { ChatHost } from './chat-host.ts';
import { modelLabel } from './chat-settings.ts';
import type { Session } from './session.ts';
import { parseLine, runSlashCommand } from './slash-commands.ts';
import { printRecap } from './text-output.ts';
import { reportAnswer } from './tool-row.ts';

/** Runs a chat at a terminal until the person exits. Ctrl-C stops an answer; at the prompt, pressed twice, it exits. */
export async function runInteractiveChat(
  session: Session,
  host: ChatHost,
  context: CommandContext,
  attachments: NewAttachment[],
  onIntroduced: () => void,
): Promise<number> {
  const { terminal, signal } = context;
  let prompting: AbortController | undefined;
  let answering: 'running' | 'stopping' | undefined;
  let promptInterrupts = 0;

  function interceptInterrupt(given: NodeJS.Signals): boolean {
    if (given !== 'SIGINT') return false;
    if (prompting) {
      promptInterrupts++;
      prompting.abort();
      return true;
    }
    if (answering !== 'running') return false;
    answering = 'stopping';
    session.stop().catch((cause) => terminal.note(`Stopping the answer failed: ${messageOf(cause)}`));
    return true;
  }
  context.onInterrupt(() => {}, interceptInterrupt);

  /** Starts an answer and reports its end; Ctrl-C meanwhile stops only the answer. */
  async function answer(start: Parameters<Session['answer']>[0]): Promise<void> {
    const exit = Promise.withResolvers<undefined>();
    const onAbort = () => exit.resolve(undefined);
    using _mute = terminal.mute();
    answering = 'running';
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const ended = await Promise.race([session.answer(start), exit.promise]);
      if (ended) reportAnswer(ended.message, terminal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      answering = undefined;
      terminal.status();
    }
  }

  /** Sends a message with the attached files. Files of a rejected message stay for the next one. */
  async function send(text: string): Promise<void> {
    await answer(async (chat, id) => {
      const message = await chat.send(id, text, attachments);
      attachments.length = 0;
      return message;
    });
  }

  /** Prints an answer that was in progress when its conversation was opened. */
  async function follow(): Promise<void> {
    const last = session.view?.content.messages.at(-1);
    if (last?.status !== 'streaming') return;
    await answer(async (chat, id) => {
      // A gateway in this process continues only the conversations that the person opens.
      if (host.isOwn) await chat.update(id, {});
      return last;
    });
  }

  await introduce(session, host, context);
  printRecap(session, terminal);
  onIntroduced();
  await follow();
  const prompt = createPromptLine(terminal, userTexts(session.view?.content.messages ?? []));
  while (!signal.aborted) {
    prompting = new AbortController();
    const text = await prompt.read(AbortSignal.any([prompting.signal, signal]));
    const isInterrupted = prompting.signal.aborted;
    prompting = undefined;
    if (text === undefined && (!isInterrupted || promptInterrupts > 1)) break;
    if (text === undefined) {
      terminal.note(terminal.noteColors.dim('Press Ctrl-C again or Ctrl-D to exit.'));
      continue;
    }
    promptInterrupts = 0;
    const line = parseLine(text);
    if (line.kind === 'invalid') terminal.note(line.message);
    if (line.kind !== 'message' && line.kind !== 'command') continue;
    try {
      if (line.kind === 'message') await send(line.text);
      else if (line.name === 'exit') break;
      else await runSlashCommand(line.name, line.argument, { session, host, context, answer, follow, attachments });
    } catch (cause) {
      if (signal.aborted) break;
      // The chat cannot continue without the gateway.
      if (cause instanceof UnavailableError) throw cause;
      reportError(terminal, cause, { stack: false });
    }
  }
  return exitCodes.ok;
}

async function introduce({ assistant }: Session, host: ChatHost, { terminal }: CommandContext): Promise<void> {
  const { noteColors: colors } = terminal;
  const { count: tools, missingServers, warning } = await host.tools(assistant);
  const model = modelLabel(assistant.model, await host.settings.providers());
  const facts = [model, count(tools, 'tool'), assistant.toolApproval].map(oneLine).join(' · ');
  terminal.note(`${colors.bold(oneLine(assistant.name))}  ${colors.dim(facts)}`);
  if (!host.isOwn) {
    // Without a gateway, the startup of the toolbox has reported them.
    for (const { id, reason } of missingServers) terminal.say(colors.yellow(oneLine(`Server ${id}: ${reason}`)));
  }
  if (warning !== undefined) terminal.say(colors.yellow(oneLine(warning)));
  if (assistant.model.provider === 'demo') {
    terminal.note(colors.dim('The demo follows a script and uses no model. Choose a model with /model.'));
  }
  terminal.note(colors.dim('Type /help for commands, Ctrl-D to exit.\n'));
}

function userTexts(messages: readonly Message[]): string[] {
  const parts = messages.filter(({ role }) => role === 'user').flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

export interface PromptLine {
  /** Reads a message; a line that ends with a backslash continues on the next. Undefined if the input ends. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** Creates the prompt for the next message, with a history of earlier ones. */
export function createPromptLine(
  terminal: Pick<Terminal, 'ask' | 'noteColors'>,
  earlierMessages: readonly string[],
): PromptLine {
  const { noteColors: colors } = terminal;
  const history = earlierMessages.map(inOneLine).toReversed();
  return {
    async read(signal) {
      const lines: string[] = [];
      for (;;) {
        const prompt = lines.length === 0 ? '› ' : '… ';
        const line = await terminal.ask(colors.cyan(prompt), signal, { history });
        if (line === undefined) return undefined;
        const isLast = !line.endsWith('\\');
        lines.push(isLast ? line : line.slice(0, -1));
        if (!isLast) continue;
        const text = lines.join('\n');
        const entry = inOneLine(text);
        if (entry !== '' && entry !== history[0]) history.unshift(entry);
        return text;
      }
    },
  };
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
