import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Message } from '../../../contract/records/conversation.ts';
import type { OpenedModel } from './models/models.ts';
import type { Turn } from './take-turn.ts';

/** How an answer ended, and the message for the user. */
export type Outcome = Pick<Message, 'status' | 'problem'>;

/** Text limit of one model turn. */
export const maxCharacters = 1_000_000;

export const completed: Outcome = { status: 'complete', problem: undefined };

export function failed(problem: string): Outcome {
  return { status: 'error', problem };
}

/** Who ended an answer: the user, or the end of the process. */
export type AnswerEnd = 'stopped' | 'closed';

export function endedBy(end: AnswerEnd | undefined): Outcome {
  if (end === 'stopped') return { status: 'stopped', problem: undefined };
  return { status: 'interrupted', problem: 'Toolwharf was stopped during this answer.' };
}

export function limited(
  { maxSteps, maxTokens }: Pick<Assistant, 'maxSteps' | 'maxTokens'>,
  what: 'steps' | 'tokens',
): Outcome {
  if (what === 'tokens' && maxTokens === undefined)
    return {
      status: 'limited',
      problem: `The answer is longer than ${maxCharacters} characters. Continue to read more.`,
    };
  const limit = what === 'steps' ? `${maxSteps} steps` : `${maxTokens} tokens`;
  const problem = `The answer reached the assistant's limit of ${limit}. Continue to allow as much again, or raise the limit.`;
  return { status: 'limited', problem };
}

/** The outcome of a model turn that did not finish. */
export function unfinishedTurn(how: Exclude<Turn['end'], 'done'>, { label }: OpenedModel): Outcome {
  switch (how) {
    case 'cut':
      return { status: 'limited', problem: `${label} reached its output limit. Continue the answer.` };
    case 'filtered':
      return failed(`The provider of ${label} blocked the answer. Rephrase your message.`);
    case 'broken':
      return failed(`The answer of ${label} was cut off. Continue or retry.`);
  }
}
