import type { Message } from '../../../storage/ports/conversation-store.ts';
import { duration, oneLine } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Answered } from './session.ts';

/** What is left to say when an answer has ended: why it is not complete, then the model, the tokens and the time. */
export function tellAnswer({ message }: Answered, terminal: Pick<Terminal, 'note' | 'noteColors'>): void {
  const { noteColors: colors } = terminal;
  const { model, durationMs } = message;
  const problem = problemOf(message);
  if (problem !== undefined) terminal.note(colors.yellow(problem));
  const facts = [
    ...(model === undefined ? [] : [oneLine(model)]),
    ...tokensOf(message),
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
  ];
  terminal.note(`${colors.dim(facts.join(' · '))}\n`);
}

/** Why an answer is not complete. */
export function problemOf({ status, problem }: Message): string | undefined {
  if (status === 'complete' || status === 'streaming') return undefined;
  return problem === undefined ? `The answer was ${status}.` : oneLine(problem);
}

/** `1 204 tokens in, 56 out`; nothing where the provider does not tell. */
export function tokensOf({ usage }: Pick<Message, 'usage'>): string[] {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return [];
  return [
    `${usage.estimated ? 'about ' : ''}${grouped(usage.inputTokens)} tokens in, ${grouped(usage.outputTokens)} out`,
  ];
}

function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
