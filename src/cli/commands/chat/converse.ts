import { messageOf } from '../../../kernel/errors.ts';
import type { Message } from '../../../storage/ports/conversation-store.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { reportError } from '../../report-error.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import { UnavailableError } from '../../unavailable-error.ts';
import type { ChatHost } from './chat-host.ts';
import { modelLabel } from './find-settings.ts';
import { createPromptLine } from './prompt-line.ts';
import { recap } from './recap.ts';
import type { Answered, Session } from './session.ts';
import { runSlashCommand } from './slash-actions.ts';
import { parseLine } from './slash-command.ts';
import { tellAnswer } from './tell-answer.ts';

/** A conversation at a terminal, until the person leaves. Ctrl-C ends an answer; twice at the prompt it leaves, as Ctrl-D does. */
export async function converse(session: Session, host: ChatHost, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  let prompting: AbortController | undefined;
  let answering: 'running' | 'stopping' | undefined;
  let wishes = 0;

  function takeInterrupt(given: NodeJS.Signals): boolean {
    if (given !== 'SIGINT') return false;
    if (prompting) {
      wishes++;
      prompting.abort();
      return true;
    }
    if (answering !== 'running') return false;
    answering = 'stopping';
    session.stop().catch((cause) => terminal.note(`The answer could not be stopped: ${messageOf(cause)}`));
    return true;
  }
  context.onInterrupt(() => {}, takeInterrupt);

  /** Has something answered and tells its end; Ctrl-C meanwhile ends the answer only. */
  async function answer(begin: Parameters<Session['answer']>[0]): Promise<void> {
    answering = 'running';
    using _mute = terminal.mute();
    try {
      await tell(session.answer(begin));
    } finally {
      answering = undefined;
      terminal.status();
    }
  }

  async function tell(answer: Promise<Answered>): Promise<void> {
    const leaving = Promise.withResolvers<undefined>();
    const leave = () => leaving.resolve(undefined);
    signal.addEventListener('abort', leave, { once: true });
    try {
      const answered = await Promise.race([answer, leaving.promise]);
      if (answered) tellAnswer(answered, terminal);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** An answer that was under way when its conversation was opened. */
  async function follow(): Promise<void> {
    const last = session.view?.content.messages.at(-1);
    if (last?.status === 'streaming') await answer(async () => last);
  }

  await introduce(session, host, context);
  recap(session, terminal);
  await follow();
  const prompt = createPromptLine(terminal, saidIn(session.view?.content.messages ?? []));
  while (!signal.aborted) {
    prompting = new AbortController();
    const text = await prompt.read(AbortSignal.any([prompting.signal, signal]));
    const isInterrupted = prompting.signal.aborted;
    prompting = undefined;
    if (text === undefined && (!isInterrupted || wishes > 1)) break;
    if (text === undefined) {
      terminal.note(terminal.noteColors.dim('Ctrl-C again, or Ctrl-D, leaves.'));
      continue;
    }
    wishes = 0;
    const line = parseLine(text);
    if (line.kind === 'mistake') terminal.note(line.message);
    if (line.kind !== 'say' && line.kind !== 'command') continue;
    try {
      if (line.kind === 'say') await answer((chat, id) => chat.send(id, line.text));
      else if (line.name === 'exit') break;
      else await runSlashCommand(line.name, line.argument, { session, host, context, answer, follow });
    } catch (cause) {
      if (signal.aborted) break;
      // Without the gateway there is nothing to go on with.
      if (cause instanceof UnavailableError) throw cause;
      reportError(terminal, cause, { stack: false });
    }
  }
  return exitCodes.ok;
}

async function introduce({ assistant }: Session, host: ChatHost, { terminal }: CommandContext): Promise<void> {
  const { noteColors: colors } = terminal;
  const { count: tools, missingServers, warning } = await host.tools(assistant);
  const facts = [await modelLabel(assistant.model, host.settings), count(tools, 'tool'), assistant.toolApproval];
  terminal.note(`${colors.bold(oneLine(assistant.name))}  ${colors.dim(facts.map(oneLine).join(' · '))}`);
  if (host.gateway !== undefined) terminal.note(colors.dim(`In the gateway at ${host.gateway}`));
  // Of servers that are connected here the start has told.
  const away = host.gateway === undefined ? [] : missingServers;
  for (const { id, reason } of away) terminal.note(colors.yellow(oneLine(`Server ${id}: ${reason}`)));
  if (warning !== undefined) terminal.note(colors.yellow(oneLine(warning)));
  if (assistant.model.provider === 'demo') {
    terminal.note(colors.dim('The demo answers by a script, not with a model; /model shows what else there is.'));
  }
  terminal.note(colors.dim('/help shows the commands; Ctrl-D leaves.\n'));
}

function saidIn(messages: readonly Message[]): string[] {
  const own = messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts);
  return own.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
