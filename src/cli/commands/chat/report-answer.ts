import type { Message } from '../../../storage/ports/conversation-store.ts';
import { duration, oneLine } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { EndedAnswer } from './session.ts';

/** Prints why an answer is incomplete, then its model, tokens and duration. */
export function reportAnswer({ message }: EndedAnswer, terminal: Pick<Terminal, 'note' | 'noteColors'>): void {
  const { noteColors: colors } = terminal;
  const { model, durationMs } = message;
  const problem = problemOf(message);
  if (problem !== undefined) terminal.note(colors.yellow(problem));
  const facts = [model && oneLine(model), describeTokens(message), durationMs !== undefined && duration(durationMs)];
  terminal.note(`${colors.dim(facts.filter(Boolean).join(' · '))}\n`);
}

/** Why an answer is incomplete; undefined if it is complete. */
export function problemOf({ status, problem }: Message): string | undefined {
  if (status === 'complete' || status === 'streaming') return undefined;
  return problem === undefined ? `The answer was ${status}.` : oneLine(problem);
}

/** `1 204 tokens in, 56 out`; undefined if the provider reports no usage. */
export function describeTokens({ usage }: Pick<Message, 'usage'>): string | undefined {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return undefined;
  const { inputTokens, outputTokens, estimated } = usage;
  return `${estimated ? 'about ' : ''}${groupDigits(inputTokens)} tokens in, ${groupDigits(outputTokens)} out`;
}

function groupDigits(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
